import { createFifoMap } from '../../platform/lib/fifo-map.js';
import type { RuleScope } from './rule-paths.js';

type Named = Readonly<{
  expression: string;
  segments: readonly string[];
  flags: readonly string[];
  experiments: readonly string[];
}>;

/** Of all expressions together. A compiled rule takes about 50 bytes for each character, so this bounds the cache to 20 MB. */
const MAX_CHARACTERS = 400_000;
/** A rule keeps the registry of its attributes alive, which is much larger than a short rule. */
const MAX_RULES = 4_000;

/**
 * Compiled rules by their expressions, those used last. A document is validated when it is saved and when it is published, is compared with
 * the version before, and is served: with mostly the same rules each time.
 */
export class RuleCache<Rule extends Named> {
  readonly #kept = createFifoMap<string, Readonly<{ rule: Rule; attributes: RuleScope['attributes'] }>>();
  readonly #maxCharacters: number;
  readonly #maxRules: number;
  #characters = 0;

  constructor(maxCharacters = MAX_CHARACTERS, maxRules = MAX_RULES) {
    this.#maxCharacters = maxCharacters;
    this.#maxRules = maxRules;
  }

  /** A rule that compiles to the same in this scope. */
  find(expression: string, { attributes, segments, flags }: RuleScope): Rule | undefined {
    const kept = this.#kept.get(expression);
    if (kept === undefined || kept.attributes !== attributes) return undefined;
    const { rule } = kept;
    if (!rule.segments.every((id) => segments.has(id)) || !rule.flags.every((id) => flags.has(id)))
      return undefined;
    this.#kept.set(expression, kept);
    return rule;
  }

  keep(rule: Rule, { attributes }: RuleScope): void {
    // Whether it compiles also depends on the variants of the experiments.
    if (rule.experiments.length > 0) return;
    if (this.#kept.get(rule.expression) === undefined) this.#characters += rule.expression.length;
    this.#kept.set(rule.expression, { rule, attributes });
    while (this.#characters > this.#maxCharacters || this.#kept.size > this.#maxRules) {
      const [oldest] = this.#kept.oldest() ?? [];
      if (oldest === undefined) return;
      this.#kept.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}
