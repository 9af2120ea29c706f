import type { ASTNode } from '@marcbachmann/cel-js';
import type { Suggest } from '../../lib/nearest-name.js';
import { type AttributePath, findAttribute, writePath } from '../attributes/attributes.js';
import type { TimeBasis } from '../attributes/time-basis.js';
import { type Finding, type RuleScope, resolvePath } from './rule-paths.js';
import { wordProblem } from './rule-syntax.js';

/**
 * What a rule reads and what it can cost, found in its syntax tree without running it. Rules are kept to a part of CEL in
 * which both are known beforehand: attributes, segments and flags are named literally, texts and lists cannot grow, and a
 * loop runs over a list that stands in the rule. What is left has no regular expressions, no recursion and no nested
 * loops, so the cost worked out here is an upper bound for every player.
 */
export type RuleAnalysis = Readonly<{
  findings: readonly Finding[];
  reads: readonly AttributePath[];
  segments: readonly string[];
  flags: readonly string[];
  basis: TimeBasis;
  cost: number;
}>;

/** A unit takes 10 to 100 ns: the most hostile rule that passes is done in a fraction of a millisecond. */
const MAX_COST = 1500;
const READ_COST = 5;
/**
 * Of a sum over 28 days, 1 to 3 µs, besides the read. It is worked out once for a player: reading it again, in this rule or
 * another, is a read like any other.
 */
const WINDOW_COST = 30;
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
const FUNCTIONS = [...TEXT_METHODS.keys(), ...LOOPS, ...CONVERSIONS, 'segment'];

/** A loop's variable is the only name besides the attributes. */
type Loop = Readonly<{ variable: string; isText: boolean }>;

/** What the rules of a document can cost together: sums over days that several of them read are worked out once. */
export function costTogether(rules: readonly Pick<RuleAnalysis, 'cost' | 'reads'>[]): number {
  const windows = rules.map(({ reads }) => reads.filter(isWindow).map(writePath));
  const own = rules.reduce((sum, { cost }, n) => sum + cost - WINDOW_COST * (windows[n]?.length ?? 0), 0);
  return own + WINDOW_COST * new Set(windows.flat()).size;
}

function isWindow({ field }: AttributePath): boolean {
  return field === 'last7d' || field === 'last28d';
}

export function analyseRule(ast: ASTNode, scope: RuleScope, suggest: Suggest): RuleAnalysis {
  const analysis = new Analysis(scope, suggest);
  const ofNodes = analysis.cost(ast, null);
  const cost = ofNodes + WINDOW_COST * [...analysis.reads.values()].filter(isWindow).length;
  const { findings, reads, segments, flags, basis } = analysis;
  if (cost > MAX_COST && findings.length === 0) {
    findings.push({
      message: 'The rule costs too much: use fewer sums over days, less arithmetic and shorter lists.',
      offset: 0,
    });
  }
  return { findings, reads: [...reads.values()], segments: [...segments], flags: [...flags], basis, cost };
}

class Analysis {
  readonly findings: Finding[] = [];
  readonly reads = new Map<string, AttributePath>();
  readonly segments = new Set<string>();
  readonly flags = new Set<string>();
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
        if (node.args.some((arg) => isText(arg, loop))) return this.#refuse(node, 'Texts cannot be joined.');
        return this.#sum(node.args, loop, FALLIBLE_COST);
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
      return this.#refuse(node, `A text can have ${MAX_TEXT_LENGTH} characters at the most.`);
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
    if (CONVERSIONS.has(name)) {
      if (args.some((arg) => isText(arg, loop))) return this.#refuse(node, `${name} converts numbers only.`);
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
    if (findAttribute(variable.args) !== undefined) {
      return this.#refuse(variable, `"${variable.args}" is an attribute: give the variable another name.`);
    }
    const isTextList = receiver.args.some((element) => isText(element, null));
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
}

function isText(node: ASTNode, loop: Loop | null): boolean {
  if (node.op === 'value') return typeof node.args === 'string';
  if (node.op === 'id') {
    return node.args === loop?.variable ? loop.isText : findAttribute(node.args)?.type === 'string';
  }
  if (node.op === '?:') return isText(node.args[1], loop);
  return node.op === 'rcall' && TEXT_METHODS.get(node.args[0]) === true;
}
