import { isObject } from '../is-object.js';
import { pointerPart } from '../json-pointer.js';
import { compilePattern, type Pattern } from '../patterns/pattern-machine.js';
import { PatternError } from '../patterns/pattern-reader.js';
import { StepLimit, TooManySteps } from '../step-limit.js';
import { ASSERTION_KEYWORDS, show } from './assertion-keywords.js';
import { IN_PLACE_KEYWORDS } from './in-place-keywords.js';
import { MEMBER_KEYWORDS, unevaluatedItems, unevaluatedProperties } from './member-keywords.js';
import { addSeen, type Check, type Keyword, type KeywordContext, type SchemaNode } from './schema-check.js';
import { type Located, SchemaDocument, SchemaError, type SchemaObject } from './schema-document.js';
import { checkNesting } from './schema-nesting.js';

/**
 * JSON Schema, draft 2020-12, compiled to functions that count their steps. The time and the size of the result grow with the size of
 * the schema only: a definition is compiled once however often it is referred to, and no program text is made. What a
 * check costs depends on schema and value, so the caller says how many steps a value may take.
 */
export type CompiledSchema = Readonly<{
  check: (value: unknown, steps: StepLimit) => ReturnType<Check>;
  /** What the schema says without effect, such as a misspelt keyword. */
  warnings: readonly string[];
}>;

export type SchemaOptions = Readonly<{
  /** Any other format has no effect. */
  formats: Readonly<Record<string, (text: string) => boolean>>;
  /** Told of schemas that only a reference shows to be schemas, before they are compiled. */
  onOther: (schema: SchemaObject) => void;
}>;

/** What all patterns of a schema may take together: as many characters and states of their machines. */
const MAX_PATTERN_SIZE = 10_000;

const FIRST: [string, Keyword][] = [
  ...Object.entries(ASSERTION_KEYWORDS),
  ...Object.entries(MEMBER_KEYWORDS),
  ...Object.entries(IN_PLACE_KEYWORDS),
];
const LAST: [string, Keyword][] = Object.entries({ unevaluatedProperties, unevaluatedItems });

/** Keywords that are known and check nothing by themselves. */
const NOTES = new Set([
  ...['$schema', '$id', '$anchor', '$dynamicAnchor', '$recursiveAnchor', '$vocabulary', '$comment', '$defs'],
  ...['definitions', 'title', 'description', 'default', 'deprecated', 'readOnly', 'writeOnly', 'examples'],
  ...['contentMediaType', 'contentEncoding', 'contentSchema', 'format', 'nullable'],
]);
/** Keywords that have an effect beside another one only. */
const PARTNERS = new Map([
  ['then', 'if'],
  ['else', 'if'],
  ['minContains', 'contains'],
  ['maxContains', 'contains'],
]);
const KNOWN = new Set([...FIRST, ...LAST].map(([keyword]) => keyword));

/** Throws a `SchemaError` with the reason why the schema cannot be used. The schema is valid by the rules of the draft. */
export function compileJsonSchema(schema: SchemaObject | boolean, options: SchemaOptions): CompiledSchema {
  return new SchemaCompiler(schema, options).compile();
}

class SchemaCompiler {
  readonly #document: SchemaDocument;
  readonly #formats: SchemaOptions['formats'];
  readonly #nodes = new Map<object, SchemaNode>();
  readonly #waiting: { located: Located; node: SchemaNode }[] = [];
  readonly #warnings = new Set<string>();
  readonly #patterns = new Map<string, Pattern>();
  readonly #patternSize = new StepLimit(MAX_PATTERN_SIZE);

  constructor(schema: SchemaObject | boolean, options: SchemaOptions) {
    this.#document = new SchemaDocument(schema, options.onOther);
    this.#formats = options.formats;
  }

  compile(): CompiledSchema {
    const root = this.#nodeOf(this.#document.root);
    // A list instead of recursion: a chain of references may be as long as the schema.
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      next.node.check = this.#checkOf(next.located, next.node);
    }
    checkNesting([root, ...this.#nodes.values()]);
    return {
      check: (value, steps) => root.check(value, steps, undefined),
      warnings: [...this.#warnings],
    };
  }

  #nodeOf(located: Located): SchemaNode {
    const { schema } = located;
    const known = typeof schema === 'boolean' ? undefined : this.#nodes.get(schema);
    if (known !== undefined) return known;
    const node: SchemaNode = { check: () => undefined, inPlace: [] };
    if (typeof schema !== 'boolean') this.#nodes.set(schema, node);
    this.#waiting.push({ located, node });
    return node;
  }

  #checkOf({ schema, location }: Located, node: SchemaNode): Check {
    if (schema === true) return passes;
    if (schema === false) {
      return () => ({ path: [], rule: `${location}/false schema`, message: 'boolean schema is false' });
    }
    this.#warn(schema, location);
    const compile = (keywords: [string, Keyword][]) =>
      keywords
        .filter(([keyword]) => Object.hasOwn(schema, keyword))
        .flatMap(
          ([keyword, make]) =>
            make(schema[keyword], this.#contextOf({ schema, location }, node, keyword)) ?? [],
        );
    const format = this.#formatCheck(schema, location);
    const first = [...compile(FIRST), ...(format === undefined ? [] : [format])];
    const last = compile(LAST);
    return last.length === 0 ? inOrder(first) : inOrderThen(inOrder(first), inOrder(last));
  }

  #contextOf(
    { schema, location }: Located & { schema: SchemaObject },
    node: SchemaNode,
    keyword: string,
  ): KeywordContext {
    const at = (path: readonly (string | number)[]): SchemaNode => {
      let found: unknown = schema;
      for (const name of path) found = (found as Record<string | number, unknown>)[name];
      if (!isObject(found) && typeof found !== 'boolean') {
        throw new SchemaError(`There is no schema at ${location}/${path.join('/')}.`);
      }
      const inner = path.map((name) => `/${pointerPart(String(name))}`).join('');
      return this.#nodeOf({ schema: found, location: location + inner });
    };
    const inPlace = (other: SchemaNode) => {
      node.inPlace.push(other);
      return other;
    };
    return {
      schema,
      fail: (message) => ({ path: [], rule: `${location}/${keyword}`, message }),
      part: (...path) => at(path),
      inPlace: (...path) => inPlace(at(path)),
      reference: (reference) => inPlace(this.#nodeOf(this.#resolve(reference, schema))),
      pattern: (source) => this.#pattern(source),
    };
  }

  #resolve(reference: string, from: SchemaObject): Located {
    const found = this.#document.resolve(reference, from);
    if (found !== undefined) return found;
    throw new SchemaError(
      `The schema refers to ${reference}, which is not in it. Put it into $defs: nothing is fetched.`,
    );
  }

  #pattern(source: string): Pattern {
    try {
      const pattern = this.#patterns.get(source) ?? compilePattern(source, this.#patternSize);
      this.#patterns.set(source, pattern);
      return pattern;
    } catch (error) {
      if (error instanceof TooManySteps) {
        throw new SchemaError(
          `The patterns of the schema are too large: repetitions count as often as they may occur. The last one is ${show(source)}.`,
        );
      }
      if (!(error instanceof PatternError)) throw error;
      throw new SchemaError(`The pattern ${show(source)} ${error.message}.`);
    }
  }

  #formatCheck(schema: SchemaObject, location: string): Check | undefined {
    const { format } = schema;
    if (typeof format !== 'string') return undefined;
    const isRight = Object.hasOwn(this.#formats, format) ? this.#formats[format] : undefined;
    if (isRight === undefined) {
      this.#warnings.add(`unknown format ${JSON.stringify(format)} is not checked, at ${location}`);
      return undefined;
    }
    return (given) =>
      typeof given !== 'string' || isRight(given)
        ? undefined
        : { path: [], rule: `${location}/format`, message: `must match format ${JSON.stringify(format)}` };
  }

  #warn(schema: SchemaObject, location: string): void {
    if (schema.$async !== undefined)
      throw new SchemaError('$async is not part of JSON Schema and not supported.');
    for (const keyword of Object.keys(schema)) {
      const partner = PARTNERS.get(keyword);
      if (partner !== undefined) {
        if (schema[partner] === undefined) {
          this.#warnings.add(`"${keyword}" without "${partner}" is not checked, at ${location}`);
        }
      } else if (!KNOWN.has(keyword) && !NOTES.has(keyword)) {
        this.#warnings.add(`unknown keyword: ${JSON.stringify(keyword)}`);
      }
    }
  }
}

const passes: Check = (_, steps) => {
  steps.take(1);
  return undefined;
};

function inOrder(checks: readonly Check[]): Check {
  const cost = 1 + checks.length;
  return (given, steps, seen) => {
    steps.take(cost);
    for (const check of checks) {
      const failure = check(given, steps, seen);
      if (failure !== undefined) return failure;
    }
    return undefined;
  };
}

/** `last` knows what `first` has seen. */
function inOrderThen(first: Check, last: Check): Check {
  return (given, steps, seen) => {
    const own = new Set<string | number>();
    const failure = first(given, steps, own) ?? last(given, steps, own);
    if (failure === undefined) addSeen(seen, own, steps);
    return failure;
  };
}
