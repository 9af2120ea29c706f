import type { ASTNode } from '@marcbachmann/cel-js';
import type { Suggest } from '../../platform/lib/nearest-name.js';
import { type AttributePath, writePath } from '../attributes/attribute.js';
import type { AttributeRegistry } from '../attributes/attribute-registry.js';
import { ATTRIBUTE_REGISTRY } from '../attributes/attributes.js';
import type { TimeBasis } from '../attributes/time-basis.js';
import { type Dependence, dependenceOn } from './dependence.js';
import { variantFindings } from './rule-experiments.js';
import { type RuleFinding, type RuleScope, resolvePath } from './rule-paths.js';
import { wordProblem } from './rule-syntax.js';

/**
 * What a rule reads and what it can cost, found in its syntax tree without running it. Rules are kept to a part of CEL in
 * which both are known beforehand: attributes, segments and flags are named literally, texts and lists cannot grow, and a
 * loop runs over a list that stands in the rule. What is left has no regular expressions, no recursion and no nested
 * loops, so the cost worked out here is an upper bound for every player.
 */
export type RuleAnalysis = Readonly<{
  findings: readonly RuleFinding[];
  reads: readonly AttributePath[];
  segments: readonly string[];
  flags: readonly string[];
  experiments: readonly string[];
  basis: TimeBasis;
  dependence: Dependence;
  cost: number;
}>;

/** A unit takes 10 to 100 ns: the most hostile rule that passes is done in a fraction of a millisecond. */
const MAX_COST = 1500;
const READ_COST = 5;
/** Arithmetic can overflow or divide by zero, and an error has to be thrown; methods look through texts. */
const FALLIBLE_COST = 40;
const MAX_TEXT_LENGTH = 128;
const MAX_INT = BigInt(Number.MAX_SAFE_INTEGER);

/** Text methods, and whether they give a text. */
const TEXT_METHODS: ReadonlyMap<string, boolean> = new Map([
  ['startsWith', false],
  ['endsWith', false],
  ['contains', false],
  ['lowerAscii', true],
  ['upperAscii', true],
]);
const LOOPS: ReadonlySet<string> = new Set(['exists', 'all', 'exists_one']);
const CONVERSIONS: ReadonlySet<string> = new Set(['int', 'double']);
const FUNCTIONS = [...TEXT_METHODS.keys(), ...LOOPS, ...CONVERSIONS, 'segment', 'experiment'];

/** A loop's variable is the only name besides the attributes. */
type Loop = Readonly<{ variable: string; isText: boolean }>;

/**
 * What the rules of a document can cost together. A sum over days that several of them read is worked out once: reading it
 * again is a read like any other.
 */
export function costTogether(
  rules: readonly Pick<RuleAnalysis, 'cost' | 'reads'>[],
  attributes: AttributeRegistry = ATTRIBUTE_REGISTRY,
): number {
  const own = rules.reduce((sum, { cost, reads }) => sum + cost - workCost(reads, attributes), 0);
  const all = new Map(rules.flatMap(({ reads }) => reads.map((path) => [writePath(path), path])));
  return own + workCost([...all.values()], attributes);
}

/** Of working out each of these values once. */
function workCost(reads: readonly AttributePath[], attributes: AttributeRegistry): number {
  return reads.reduce((sum, path) => sum + attributes.valueAt(path).workCost, 0);
}

export function analyseRule(ast: ASTNode, scope: RuleScope, suggest: Suggest): RuleAnalysis {
  const analysis = new Analysis(scope, suggest);
  const ofNodes = analysis.cost(ast, null);
  const { findings, segments, flags, experiments, basis } = analysis;
  const reads = [...analysis.reads.values()];
  const cost = ofNodes + workCost(reads, scope.attributes);
  const dependence = dependenceOn(reads, scope.attributes);
  if (cost > MAX_COST && findings.length === 0) {
    findings.push({
      message: 'The rule costs too much: use fewer sums over days, less arithmetic and shorter lists.',
      offset: 0,
    });
  }
  const names = { segments: [...segments], flags: [...flags], experiments: [...experiments] };
  return { findings, reads, ...names, basis, dependence, cost };
}

class Analysis {
  readonly findings: RuleFinding[] = [];
  readonly reads = new Map<string, AttributePath>();
  readonly segments = new Set<string>();
  readonly flags = new Set<string>();
  readonly experiments = new Set<string>();
  basis: TimeBasis = 0;
  readonly #scope: RuleScope;
  readonly #suggest: Suggest;

  constructor(scope: RuleScope, suggest: Suggest) {
    this.#scope = scope;
    this.#suggest = suggest;
  }

  #refuse(node: ASTNode, message: string): number {
    this.findings.push({ message, offset: node.pos });
    return 0;
  }

  cost(node: ASTNode, loop: Loop | null): number {
    switch (node.op) {
      case 'value':
        return this.#literal(node, node.args);
      case 'id':
        return node.args === loop?.variable ? 1 : this.#path(node);
      case '.':
      case '[]':
        return this.#path(node);
      case 'call':
        return this.#call(node, node.args[0], node.args[1], loop);
      case 'rcall':
        return this.#method(node, node.args[0], node.args[1], node.args[2], loop);
      case 'in':
        return this.#membership(node.args[0], node.args[1], loop);
      case '!_':
      case '-_':
        return 1 + this.cost(node.args, loop);
      case '+':
        // Texts must not grow: there would be no telling how long a search in one takes.
        if (node.args.some((arg) => this.#isText(arg, loop)))
          return this.#refuse(node, 'Texts cannot be joined.');
        return this.#sum(node.args, loop, FALLIBLE_COST);
      case '==':
      case '!=':
        this.#compare(node.args[0], [node.args[1]]);
        this.#compare(node.args[1], [node.args[0]]);
        return this.#sum(node.args, loop, 1);
      case '-':
      case '*':
      case '/':
      case '%':
        return this.#sum(node.args, loop, FALLIBLE_COST);
      case 'list':
        return this.#refuse(node, 'A list can only stand behind "in", or before .exists and its like.');
      case 'map':
      case '.?':
      case '[?]':
        return this.#refuse(node, 'Maps and optional values are no part of rules.');
      default:
        return this.#sum(node.args, loop, 1);
    }
  }

  #sum(nodes: readonly ASTNode[], loop: Loop | null, own: number): number {
    return nodes.reduce((sum, node) => sum + this.cost(node, loop), own);
  }

  #literal(node: ASTNode, value: unknown): number {
    if (typeof value === 'string' && value.length > MAX_TEXT_LENGTH) {
      return this.#refuse(node, `A text can have ${MAX_TEXT_LENGTH} characters at most.`);
    }
    if (typeof value === 'bigint' && value > MAX_INT) return this.#refuse(node, 'The number is too large.');
    if (typeof value === 'object') return this.#refuse(node, 'A rule knows texts, numbers, true and false.');
    return 1;
  }

  #path(node: ASTNode): number {
    const found = resolvePath(node, this.#scope, this.#suggest);
    if ('message' in found) {
      this.findings.push(found);
      return 0;
    }
    this.basis |= found.basis;
    this.#read(found.path);
    if (found.path.name === 'flags' && found.path.key !== null) this.flags.add(found.path.key);
    return READ_COST;
  }

  #read(path: AttributePath): void {
    this.reads.set(writePath(path), path);
  }

  #call(node: ASTNode, name: string, args: readonly ASTNode[], loop: Loop | null): number {
    const [first] = args;
    if (name === 'segment' && args.length === 1 && first !== undefined) return this.#segment(first);
    if (name === 'experiment' && args.length === 1 && first !== undefined) return this.#experiment(first);
    if (CONVERSIONS.has(name)) {
      if (args.some((arg) => this.#isText(arg, loop)))
        return this.#refuse(node, `${name} converts numbers only.`);
      return this.#sum(args, loop, FALLIBLE_COST);
    }
    const unknown = `There is no function "${name}".${this.#suggest(name, FUNCTIONS)}`;
    return this.#refuse(node, wordProblem(name) ?? unknown);
  }

  #method(node: ASTNode, name: string, receiver: ASTNode, args: ASTNode[], loop: Loop | null): number {
    if (LOOPS.has(name)) return this.#loop(node, name, receiver, args, loop);
    if (TEXT_METHODS.has(name)) return this.#sum([receiver, ...args], loop, FALLIBLE_COST);
    const instead =
      name === 'matches'
        ? ' Regular expressions can take for ever: use startsWith, endsWith or contains.'
        : this.#suggest(name, FUNCTIONS);
    return this.#refuse(node, `There is no method "${name}".${instead}`);
  }

  #loop(node: ASTNode, name: string, receiver: ASTNode, args: ASTNode[], outer: Loop | null): number {
    const [variable, body] = args;
    if (variable?.op !== 'id' || body === undefined || args.length !== 2 || receiver.op !== 'list') {
      return this.#refuse(node, `Write .${name} as in ["en", "de"].${name}(x, locale.startsWith(x)).`);
    }
    if (outer !== null) return this.#refuse(node, `.${name} cannot stand inside of another loop.`);
    if (this.#scope.attributes.find(variable.args) !== undefined) {
      return this.#refuse(variable, `"${variable.args}" is an attribute: give the variable another name.`);
    }
    const isTextList = receiver.args.some((element) => this.#isText(element, null));
    const bodyCost = this.cost(body, { variable: variable.args, isText: isTextList });
    return this.#elements(receiver.args) + receiver.args.length * (bodyCost + 2);
  }

  #elements(nodes: readonly ASTNode[]): number {
    const other = nodes.find(
      (node) => node.op !== 'value' && !(node.op === '-_' && node.args.op === 'value'),
    );
    if (other !== undefined) return this.#refuse(other, 'A list can only hold texts and numbers.');
    return this.#sum(nodes, null, 1);
  }

  #membership(member: ASTNode, whole: ASTNode, loop: Loop | null): number {
    if (whole.op === 'id' && whole.args === 'segments') return this.#segment(member);
    if (whole.op === 'list') {
      this.#elements(whole.args);
      this.#compare(member, whole.args);
      // However long the list is: it is looked up, not searched.
      return this.cost(member, loop) + READ_COST;
    }
    return this.#refuse(whole, 'Behind "in" stands a list, as in country in ["DE", "AT"], or segments.');
  }

  #segment(node: ASTNode): number {
    if (node.op !== 'value' || typeof node.args !== 'string') {
      return this.#refuse(node, 'A segment is named by a text in quotes.');
    }
    const segmentId = node.args;
    const { segments } = this.#scope;
    if (!segments.has(segmentId)) {
      return this.#refuse(node, `There is no segment "${segmentId}".${this.#suggest(segmentId, segments)}`);
    }
    this.segments.add(segmentId);
    this.#read({ name: 'segments', key: segmentId, field: null });
    return READ_COST;
  }

  #experiment(node: ASTNode): number {
    if (node.op !== 'value' || typeof node.args !== 'string') {
      return this.#refuse(node, 'An experiment is named by a text in quotes.');
    }
    const id = node.args;
    const { experiments } = this.#scope;
    if (!experiments.has(id)) {
      return this.#refuse(node, `There is no experiment "${id}".${this.#suggest(id, experiments.keys())}`);
    }
    this.experiments.add(id);
    this.#read({ name: 'experiments', key: id, field: null });
    return READ_COST;
  }

  #compare(node: ASTNode, texts: readonly ASTNode[]): void {
    this.findings.push(...variantFindings(node, texts, this.#scope.experiments, this.#suggest));
  }

  #isText(node: ASTNode, loop: Loop | null): boolean {
    switch (node.op) {
      case 'value':
        return typeof node.args === 'string';
      case 'id':
        return node.args === loop?.variable ? loop.isText : this.#isTextAttribute(node);
      case '.':
      case '[]':
        return this.#isTextAttribute(node);
      case 'call':
        return node.args[0] === 'experiment';
      case '?:':
        return this.#isText(node.args[1], loop);
      default:
        return node.op === 'rcall' && TEXT_METHODS.get(node.args[0]) === true;
    }
  }

  #isTextAttribute(node: ASTNode): boolean {
    const found = resolvePath(node, this.#scope);
    return !('message' in found) && found.type === 'string';
  }
}
