import { isIP } from 'node:net';

/** The kinds of settings: how the text of an environment variable is read, and what is said when it cannot be. */

/** What a setting may depend on besides its own text. */
export type Surroundings = Readonly<{
  development: boolean;
  /** Whether a person reads the output. */
  tty: boolean;
  /** Takes a sentence for each mistake; reading goes on, so that all mistakes are reported at once. */
  report: (problem: string) => void;
}>;

/** One environment variable. `fallback` and `description` are shown by `savepoint --help` and in docs/settings.md. */
export type Setting<T> = Readonly<{
  name: string;
  fallback: string;
  description: string;
  /** `given` is the trimmed text; undefined when the variable is missing or blank. */
  read: (given: string | undefined, surroundings: Surroundings) => T;
}>;

type Shown = Readonly<{
  description: string /** Where it is not the fallback itself. */;
  shownFallback?: string;
}>;

/** A text as it is. */
export function text(name: string, { fallback, description }: Shown & { fallback: string }): Setting<string> {
  return { name, fallback, description, read: (given = fallback) => given };
}

/** An address that the service itself calls. */
export function address(
  name: string,
  { fallback, description }: Shown & { fallback: string },
): Setting<string> {
  return {
    name,
    fallback,
    description,
    read(given = fallback, { report }) {
      if (!/^https?:\/\//.test(given) || !URL.canParse(given))
        report(`${name} must be an http or https address.`);
      return given;
    },
  };
}

/** A text that is undefined when it is left out; `check` gives the sentence for one that is wrong. */
export function optional(
  name: string,
  {
    shownFallback,
    description,
    check = () => undefined,
  }: { shownFallback: string; description: string; check?: (given: string) => string | undefined },
): Setting<string | undefined> {
  return {
    name,
    fallback: shownFallback,
    description,
    read(given, { report }) {
      const problem = given === undefined ? undefined : check(given);
      if (problem !== undefined) report(problem);
      return given;
    },
  };
}

export function integer(
  name: string,
  {
    fallback,
    min,
    max,
    description,
    shownFallback = String(fallback),
  }: Shown & { fallback: number | ((surroundings: Surroundings) => number); min: number; max: number },
): Setting<number> {
  return {
    name,
    fallback: shownFallback,
    description,
    read(given, surroundings) {
      const unset = typeof fallback === 'function' ? fallback(surroundings) : fallback;
      if (given === undefined) return unset;
      const value = /^\d{1,10}$/.test(given) ? Number(given) : Number.NaN;
      if (value >= min && value <= max) return value;
      surroundings.report(
        `${name} is "${given}": set it to a whole number from ${min} to ${max}, or leave it out.`,
      );
      return unset;
    },
  };
}

export function choice<const T extends string>(
  name: string,
  { fallback, of, description, shownFallback = fallback }: Shown & { fallback: NoInfer<T>; of: readonly T[] },
): Setting<T> {
  return {
    name,
    fallback: shownFallback,
    description,
    read(given = fallback, { report }) {
      const found = of.find((value) => value === given);
      if (found === undefined) report(`${name} is "${given}": set it to ${of.join(' or ')}.`);
      return found ?? fallback;
    },
  };
}

export function onOff(
  name: string,
  { fallback, ...shown }: Shown & { fallback: 'on' | 'off' | ((surroundings: Surroundings) => boolean) },
): Setting<boolean> {
  const words = choice(name, { fallback: 'on', of: ['on', 'off'], ...shown });
  return {
    ...words,
    fallback: shown.shownFallback ?? String(fallback),
    read(given, surroundings) {
      if (given !== undefined) return words.read(given, surroundings) === 'on';
      return typeof fallback === 'function' ? fallback(surroundings) : fallback === 'on';
    },
  };
}

/** Several, separated by commas; `check` gives the sentence for one that is wrong. */
export function list(
  name: string,
  {
    shownFallback,
    description,
    check,
  }: { shownFallback: string; description: string; check: (item: string) => string | undefined },
): Setting<readonly string[]> {
  return {
    name,
    fallback: shownFallback,
    description,
    read(given = '', { report }) {
      const items = given
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '');
      const problem = items.map(check).find((sentence) => sentence !== undefined);
      if (problem !== undefined) report(problem);
      return Object.freeze(items);
    },
  };
}

/** Fastify's `trustProxy`: all, none, the number of hops, or addresses. */
export function proxies(name: string, description: string): Setting<boolean | number | string> {
  return {
    name,
    fallback: 'off',
    description,
    read(given = 'off', { report }) {
      if (given === 'on' || given === 'off') return given === 'on';
      if (/^\d{1,2}$/.test(given)) return Number(given);
      const addresses = given.split(',').map((address) => address.trim());
      if (addresses.every((address) => isIP(address.replace(/\/\d{1,3}$/, '')) !== 0))
        return addresses.join(',');
      report(
        `${name} is "${given}": set it to on or off, the number of proxies, or their addresses (10.0.0.0/8).`,
      );
      return false;
    },
  };
}
