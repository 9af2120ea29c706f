/** Readers of JSON values that accept exactly what they should, and name the place where something else is. */
export type Reader<T> = (value: unknown, path: string) => T;

/** The message says what is wrong and where. */
export class UnreadableValue extends Error {}

function refuse(path: string, expected: string): never {
  throw new UnreadableValue(`${path} must be ${expected}`);
}

export function number(min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): Reader<number> {
  return (value, path) => {
    const isGood = typeof value === 'number' && Number.isFinite(value) && value >= min && value <= max;
    return isGood ? value : refuse(path, `a number from ${min} to ${max}`);
  };
}

export const positive: Reader<number> = (value, path) =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : refuse(path, 'a number above 0');

export const integer: Reader<number> = (value, path) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : refuse(path, 'a whole number');

export const text: Reader<string> = (value, path) =>
  typeof value === 'string' ? value : refuse(path, 'a text');

export function literal<const T extends string | number>(expected: T): Reader<T> {
  return (value, path) => (value === expected ? expected : refuse(path, JSON.stringify(expected)));
}

export function oneOfTexts<const T extends string>(expected: readonly T[]): Reader<T> {
  return (value, path) => expected.find((each) => each === value) ?? refuse(path, expected.join(' or '));
}

export const boolean: Reader<boolean> = (value, path) =>
  typeof value === 'boolean' ? value : refuse(path, 'true or false');

/** For what artefacts of older versions do not have. */
export function optional<T>(reader: Reader<T>): Reader<T | undefined> {
  return (value, path) => (value === undefined ? undefined : reader(value, path));
}

export function nullable<T>(reader: Reader<T>): Reader<T | null> {
  return (value, path) => (value === null ? null : reader(value, path));
}

export function list<T>(reader: Reader<T>, length?: number): Reader<readonly T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) return refuse(path, 'a list');
    if (length !== undefined && value.length !== length) return refuse(path, `a list of ${length}`);
    return value.map((item, index) => reader(item, `${path}[${index}]`));
  };
}

export function nonEmptyList<T>(reader: Reader<T>): Reader<readonly T[]> {
  const read = list(reader);
  return (value, path) => {
    const items = read(value, path);
    return items.length > 0 ? items : refuse(path, 'a list that is not empty');
  };
}

/** An object with these members and no others. */
export function object<T extends object>(
  members: { readonly [Key in keyof T]-?: Reader<T[Key]> },
): Reader<T> {
  const names = Object.keys(members) as (keyof T & string)[];
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse(path, 'an object');
    const given = value as Record<string, unknown>;
    const strange = Object.keys(given).find((name) => !Object.hasOwn(members, name));
    if (strange !== undefined) return refuse(`${path}.${strange}`, 'absent');
    const read: Partial<T> = {};
    for (const name of names) {
      read[name] = members[name](Object.hasOwn(given, name) ? given[name] : undefined, `${path}.${name}`);
    }
    return read as T;
  };
}

/** One of several objects, told apart by a member. */
export function oneOf<T extends object>(
  member: string,
  readers: Readonly<Record<string, Reader<T>>>,
): Reader<T> {
  return (value, path) => {
    const kind =
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[member] : undefined;
    if (typeof kind !== 'string' || !Object.hasOwn(readers, kind)) {
      return refuse(`${path}.${member}`, Object.keys(readers).join(' or '));
    }
    return (readers[kind] as Reader<T>)(value, path);
  };
}
