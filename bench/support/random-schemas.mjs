// Random schemas and events of hostile studios and players: recursion, references, patterns, and everything whose cost can multiply.
// The same seed gives the same schemas.

const NAMES = ['a', 'b', 'c', 'payload', 'x-y'];
const PATTERNS = [
  '^(\\w+\\s?)*$',
  '^(a+)+$',
  '(a|aa)*b',
  '(?:.*a){8}',
  '(?:a?){20}a{20}',
  '(a|b)*a(a|b){12}$',
  '^[a-z0-9_-]{1,64}$',
  '^\\p{L}+$',
  '[^\\s]*@[^\\s]*',
  '(?:(?:a*)*)*b',
  '^a',
  '',
];
const REFUSED_PATTERNS = ['a(?=b)', '(a)\\1', '(?:x{1000}){1000}', '('];
const SCALARS = [null, true, 0, 1, 2.5, -1, '', 'a', 'ab', 'aaaaaaaa!'];

/** A generator of numbers from 0 to 1 that depend on the seed only (mulberry32). */
export function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function randomSchema(random) {
  const count = random() < 0.2 ? 0 : upTo(random, 24);
  // Usually a definition refers to later ones for the same value. Otherwise nearly all would refer to themselves without end.
  const schemas = Array.from({ length: count + 1 }, (_, index) =>
    schemaAt({ random, count, index, depth: 0, isSameValue: true }),
  );
  const [root, ...definitions] = schemas;
  const $defs = Object.fromEntries(definitions.map((schema, n) => [`d${n + 1}`, schema]));
  return count === 0 ? root : { ...(typeof root === 'boolean' ? {} : root), $defs };
}

function schemaAt(at) {
  const { random, depth } = at;
  if (random() < 0.06) return random() < 0.8;
  const schema = {};
  for (let n = 1 + upTo(random, depth > 2 ? 1 : 3); n > 0; n--) Object.assign(schema, randomKeyword(at));
  return schema;
}

function randomKeyword(at) {
  const { random, count, index, depth, isSameValue } = at;
  const sameValue = () => schemaAt({ ...at, depth: depth + 1 });
  const ofPart = () => schemaAt({ ...at, depth: depth + 1, isSameValue: false });
  const reference = () => {
    const isFree = !isSameValue || random() < 0.03;
    const target = isFree ? upTo(random, count) : index + 1 + upTo(random, Math.min(3, count - index - 1));
    return target > count ? true : { $ref: target === 0 ? '#' : `#/$defs/d${target}` };
  };
  const several = (make) => Array.from({ length: 1 + upTo(random, 3) }, make);
  const branch = () => (random() < 0.6 ? reference() : sameValue());
  const part = () => (random() < 0.6 ? partReference(at) : ofPart());
  const named = (make) => Object.fromEntries(several(make).map((schema) => [pick(random, NAMES), schema]));
  const assertion = () => randomAssertion(random);
  if (depth > 3) return random() < 0.5 ? assertion() : reference() === true ? {} : asObject(reference());
  return pick(random, [
    assertion,
    assertion,
    () => asObject(reference()),
    () => ({ allOf: several(branch) }),
    () => ({ anyOf: several(branch) }),
    () => ({ oneOf: several(branch) }),
    () => ({ not: branch() }),
    () => Object.fromEntries(['if', 'then', 'else'].map((keyword) => [keyword, branch()])),
    () => ({ dependentSchemas: named(branch) }),
    () => ({ properties: named(part) }),
    () => ({ properties: named(part) }),
    () => ({ patternProperties: { [randomPattern(random)]: part() } }),
    () => ({ additionalProperties: part() }),
    () => ({ propertyNames: part() }),
    () => ({ items: part() }),
    () => ({ prefixItems: several(part) }),
    () => ({ contains: part(), minContains: upTo(random, 2) }),
    () => ({ unevaluatedProperties: part() }),
    () => ({ unevaluatedItems: part() }),
  ])();
}

function partReference({ random, count }) {
  const target = upTo(random, count);
  return { $ref: target === 0 ? '#' : `#/$defs/d${target}` };
}

function randomAssertion(random) {
  return pick(random, [
    () => ({ pattern: randomPattern(random) }),
    () => ({ pattern: randomPattern(random) }),
    () => ({ uniqueItems: true }),
    () => ({ enum: [pick(random, SCALARS), { a: [1] }, ['a']] }),
    () => ({ const: pick(random, [...SCALARS, { a: 1 }]) }),
    () => ({ type: pick(random, ['string', 'object', 'array', 'number', ['integer', 'null']]) }),
    () => ({ minLength: upTo(random, 3), maxLength: 20 }),
    () => ({ minProperties: upTo(random, 2) }),
    () => ({ maxItems: upTo(random, 40) }),
    () => ({ minimum: 1, multipleOf: 0.5 }),
    () => ({ required: [pick(random, NAMES)] }),
    () => ({ dependentRequired: { a: ['b'] } }),
    () => ({ format: pick(random, ['date-time', 'date', 'uuid', 'email']) }),
  ])();
}

function randomPattern(random) {
  return pick(random, random() < 0.02 ? REFUSED_PATTERNS : PATTERNS);
}

/** An event that any check may have to walk through: `bytes` and `levels` at most. */
export function randomEvent(random, { bytes, levels }) {
  const budget = { bytes: bytes - 120 };
  return {
    eventType: 'Random',
    timestamp: '2026-11-15T12:00:00.000Z',
    payload: randomValue(random, budget, levels - 1, true),
    a: randomValue(random, budget, levels - 1, false),
  };
}

function randomValue(random, budget, levels, isLarge) {
  const kind = random();
  if (levels > 1 && budget.bytes > 20 && (isLarge || kind < 0.6)) {
    const width = isLarge && random() < 0.3 ? 5_000 : 1 + upTo(random, 4);
    const isWide = width > 10;
    return random() < 0.5
      ? arrayOf(random, budget, levels - 1, { width, isWide })
      : objectOf(random, budget, levels - 1, { width, isWide });
  }
  const value = kind < 0.1 && budget.bytes > 100 ? longText(random, budget) : pick(random, SCALARS);
  budget.bytes -= JSON.stringify(value).length + 1;
  return value;
}

function arrayOf(random, budget, levels, { width, isWide }) {
  const items = [];
  for (let n = 0; n < width && budget.bytes > 20; n++) {
    items.push(isWide ? pick(random, [1, 'a', n, [], {}]) : randomValue(random, budget, levels, n === 0));
    budget.bytes -= isWide ? 6 : 1;
  }
  return items;
}

function objectOf(random, budget, levels, { width, isWide }) {
  const members = {};
  for (let n = 0; n < width && budget.bytes > 20; n++) {
    const name = isWide ? `a${n}` : pick(random, NAMES);
    members[name] = isWide ? 1 : randomValue(random, budget, levels, n === 0);
    budget.bytes -= name.length + 5;
  }
  return members;
}

function longText(random, budget) {
  const length = Math.floor(random() * Math.min(budget.bytes, 20_000));
  return `${pick(random, ['a', 'ab', 'a ', 'é'])
    .repeat(length)
    .slice(0, length / 2)}!`;
}

function asObject(schema) {
  return schema === true ? {} : schema;
}

function upTo(random, max) {
  return Math.floor(random() * (Math.max(0, max) + 1));
}

function pick(random, list) {
  return list[Math.floor(random() * list.length)];
}
