import { beforeAll, describe, expect, it } from 'vitest';
import type { Artefact } from '../../../src/decide/predict/artefact.js';
import { readArtefact } from '../../../src/decide/predict/read-artefact.js';
import { train } from '../../../src/decide/predict/train.js';
import { expectedGame } from './expected-game.js';

type Json = null | string | number | Json[] | { [name: string]: Json };

let artefact: Json;
beforeAll(() => {
  const made: Artefact = train(expectedGame(20_000, 600, 4), 3, null).artefact;
  // Players are fractions in this game; in a database they are whole.
  artefact = JSON.parse(JSON.stringify(made, (key, value) => (key === 'players' ? Math.ceil(value) : value)));
});

describe('an artefact', () => {
  it('is read back as it was written', () => {
    expect(readArtefact(artefact)).toEqual({ readable: true, artefact });
  });

  it('is refused without any one of its members', () => {
    const accepted: string[] = [];
    for (const path of pathsOf(artefact)) {
      const [parent, name] = placeOf(path);
      if (Array.isArray(parent)) continue;
      const before = parent[name] as Json;
      delete parent[name];
      if (readArtefact(artefact).readable) accepted.push(path.join('.'));
      parent[name] = before;
    }
    // Artefacts of older versions do not have these.
    expect(accepted).toEqual([
      'baseRates.isQuarterExtrapolated',
      'models.activity.source',
      'models.purchases.source',
      'models.purchases.regression',
      'models.conversion.source',
    ]);
    expect(readArtefact(artefact)).toMatchObject({ readable: true });
  });

  it('is refused with any other kind of value in it', () => {
    const accepted: string[] = [];
    for (const path of pathsOf(artefact)) {
      const [parent, name] = placeOf(path);
      const before = parent[name] as Json;
      for (const wrong of ['x', -1e300, [], {}] as Json[]) {
        // A text in the place of a text, or a number in that of a number, may be right.
        if (typeof wrong !== 'object' && typeof wrong === typeof before) continue;
        parent[name] = wrong;
        if (readArtefact(artefact).readable) accepted.push(`${path.join('.')} = ${JSON.stringify(wrong)}`);
      }
      parent[name] = before;
    }
    expect(accepted).toEqual([]);
    expect(readArtefact(artefact)).toMatchObject({ readable: true });
  });

  it.each<[string, (copy: Record<string, Json>) => void, RegExp]>([
    ['of another format', (copy) => Object.assign(copy, { format: 2 }), /^artefact\.format must be 1$/],
    [
      'with a member too many',
      (copy) => Object.assign(copy, { extra: 1 }),
      /^artefact\.extra must be absent$/,
    ],
    [
      'with a parameter below 0',
      (copy) => set(copy, 'models.activity.bgBb.alpha', -1),
      /^artefact\.models\.activity\.bgBb\.alpha must be a number above 0$/,
    ],
    [
      'with a list that is too short',
      (copy) => set(copy, 'models.activity.logistic.means', []),
      /must be a list of 12$/,
    ],
    [
      'with a model in no known state',
      (copy) => set(copy, 'models.activity.state', 'odd'),
      /^artefact\.models\.activity\.state must be ready or cold_start$/,
    ],
    [
      'of other features',
      (copy) => Object.assign(copy, { featuresHash: '00000000' }),
      /trained with other features: train it again$/,
    ],
  ])('%s is refused with the place', (_, damage, problem) => {
    const copy = structuredClone(artefact) as Record<string, Json>;
    damage(copy);
    const reading = readArtefact(copy);
    expect(reading.readable ? '' : reading.problem).toMatch(problem);
  });

  it('is not something else', () => {
    for (const other of [null, undefined, 1, 'text', [], {}])
      expect(readArtefact(other)).toMatchObject({ readable: false });
  });
});

function pathsOf(value: Json, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    [...path, name],
    ...pathsOf(member, [...path, name]),
  ]);
}

function placeOf(path: readonly string[]): [parent: Record<string, Json>, name: string] {
  return [at(artefact, path.slice(0, -1)) as Record<string, Json>, path.at(-1) as string];
}

function at(value: Json, path: readonly string[]): Json {
  return path.reduce<Json>((found, name) => (found as Record<string, Json>)[name] ?? null, value);
}

function set(copy: Record<string, Json>, path: string, value: Json): void {
  const names = path.split('.');
  (at(copy, names.slice(0, -1)) as Record<string, Json>)[names.at(-1) as string] = value;
}
