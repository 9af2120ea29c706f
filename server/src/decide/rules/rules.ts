import { TypeError as CelTypeError, ParseError, type ParseResult } from '@marcbachmann/cel-js';
import { createSuggest, type Suggest } from '../../platform/lib/nearest-name.js';
import type { AttributePath } from '../attributes/attribute.js';
import type { PlayerAttributes } from '../attributes/player-attributes.js';
import type { TimeBasis } from '../attributes/time-basis.js';
import type { Dependence } from './dependence.js';
import { analyseRule } from './rule-analysis.js';
import { RuleCache } from './rule-cache.js';
import { closureOf } from './rule-closures.js';
import { environmentOf, RULE_LIMITS } from './rule-environment.js';
import type { RuleFinding, RuleScope } from './rule-paths.js';
import { syntaxProblem } from './rule-syntax.js';

/** A rule that has been checked: it gives true or false for any player, in bounded time. */
export type CompiledRule = Readonly<{
  expression: string;
  /** Throws when something overflows or is divided by zero. */
  test: (attributes: PlayerAttributes) => boolean;
  reads: readonly AttributePath[];
  /** The segments, flags and experiments it refers to. */
  segments: readonly string[];
  flags: readonly string[];
  experiments: readonly string[];
  /** When its result can change with time alone, but for the segments and flags it refers to. */
  basis: TimeBasis;
  /** The same, and whether what the player does can change it. */
  dependence: Dependence;
  /** Upper bound of the work, in units of 10 to 100 ns. */
  cost: number;
}>;

/** `line` and `column` count from 1, `offset` from 0. */
export type RuleProblem = Readonly<{ message: string; offset: number; line: number; column: number }>;

export type RuleResult =
  | Readonly<{ ok: true; rule: CompiledRule }>
  | Readonly<{ ok: false; problems: readonly RuleProblem[] }>;

const cache = new RuleCache<CompiledRule>();

/** Compiles a CEL expression, or says everything that is wrong with it. */
export function compileRule(
  expression: string,
  scope: RuleScope,
  suggest: Suggest = createSuggest(),
): RuleResult {
  if (expression.length > RULE_LIMITS.length) {
    return refuse(expression, [
      {
        message: `A rule can have ${RULE_LIMITS.length} characters at most.`,
        offset: RULE_LIMITS.length,
      },
    ]);
  }
  const known = cache.find(expression, scope);
  if (known !== undefined) return { ok: true, rule: known };
  let parsed: ParseResult;
  try {
    parsed = environmentOf(scope.attributes).parse(expression);
  } catch (error) {
    return refuse(expression, [findingOf(error, expression)]);
  }
  const { findings, ...analysis } = analyseRule(parsed.ast, scope, suggest);
  if (findings.length > 0) return refuse(expression, findings);

  const checked = parsed.check();
  if (!checked.valid) return refuse(expression, [findingOf(checked.error, expression)]);
  if (checked.type !== 'bool') {
    const message = `The rule gives a value of type ${checked.type}: it must be true or false.`;
    return refuse(expression, [{ message, offset: 0 }]);
  }
  const rule = { expression, test: closureOf(parsed.ast, scope), ...analysis };
  cache.keep(rule, scope);
  return { ok: true, rule };
}

function refuse(expression: string, findings: readonly RuleFinding[]): RuleResult {
  return { ok: false, problems: findings.map((finding) => locate(expression, finding)) };
}

function locate(expression: string, { message, offset }: RuleFinding): RuleProblem {
  const before = expression.slice(0, offset).split('\n');
  return { message, offset, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function findingOf(error: unknown, expression: string): RuleFinding {
  if (!(error instanceof ParseError || error instanceof CelTypeError)) throw error;
  const offset = error.range?.start ?? 0;
  const isOfPlace = UNEXPECTED.has(error.code) && !error.summary.endsWith('EOF');
  const message = isOfPlace ? syntaxProblem(expression, offset) : undefined;
  return { message: message ?? sentenceOf(error), offset };
}

/** Errors that say nothing beyond where they are. */
const UNEXPECTED = new Set([
  'unexpected_character',
  'unexpected_token',
  'expected_token',
  'reserved_identifier',
]);

const OVERLOAD = /^no such overload: (.+)$/;
const MISSING_OVERLOAD = /^found no matching overload for '(.+)'$/;
const LIMITS = new Map([
  ['maxAstNodes', `A rule can have ${RULE_LIMITS.parts} parts at most.`],
  ['maxDepth', `A rule can be nested ${RULE_LIMITS.depth} levels deep at most.`],
  ['maxListElements', `A list can have ${RULE_LIMITS.listElements} elements at most.`],
]);

/** The library's words as a sentence that somebody who does not know it understands. */
function sentenceOf(error: ParseError | CelTypeError): string {
  for (const [limit, sentence] of LIMITS) {
    if (error.code === 'limit_exceeded' && error.summary.includes(limit)) return sentence;
  }
  if (error.summary.endsWith('EOF')) return 'The rule ends too early.';
  if (error.code === 'unterminated_string') return 'A text does not end: its closing quote is missing.';
  const types = OVERLOAD.exec(error.summary)?.[1] ?? MISSING_OVERLOAD.exec(error.summary)?.[1];
  return types === undefined ? `${error.summary}.` : `The types do not fit: ${types}.`;
}
