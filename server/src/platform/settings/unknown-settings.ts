import { didYouMean, editDistance, nearestName } from '../lib/nearest-name.js';

const PREFIX = 'SAVEPOINT_';
/** A shorter name with two mistakes may well belong to another program. */
const LONG_NAME = 12;

/**
 * A sentence for each environment variable that looks like a setting and is none, so that a misspelt setting is not silently
 * ignored.
 */
export function unknownSettings(given: readonly string[], settings: readonly string[]): string[] {
  const known = new Set(settings);
  const suffixes = settings
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length));
  const sentences: string[] = [];
  for (const name of given) {
    if (known.has(name)) continue;
    const upper = name.toUpperCase();
    // Compared without the prefix, which would make all settings look alike.
    const suffix = upper.startsWith(PREFIX) ? nearestName(upper.slice(PREFIX.length), suffixes) : undefined;
    const nearest = suffix === undefined ? misspelt(upper, settings) : `${PREFIX}${suffix}`;
    // Without the prefix the variable may belong to another program, and does if the setting itself is given beside it.
    const isOurs = upper.startsWith(PREFIX) || (nearest !== undefined && !given.includes(nearest));
    if (isOurs) sentences.push(`${name} is not a setting.${didYouMean(nearest)}`);
  }
  return sentences;
}

function misspelt(name: string, settings: readonly string[]): string | undefined {
  return settings.find((setting) => {
    const limit = setting.length < LONG_NAME ? 2 : 3;
    return Math.abs(setting.length - name.length) < limit && editDistance(name, setting, limit) < limit;
  });
}
