/** @module-tag full */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { createRandom, randomEvent, randomSchema } from '../../../../bench/support/random-schemas.mjs';
import { EVENT_LIMITS } from '../../../src/core/events/intake/limits.js';
import { checkSchema, compileSchema } from '../../../src/platform/lib/json-schema/bounded-schema.js';
import { runs } from '../../support/property-runs.js';

/** `npm run bench -- schemas` runs 20,000 of them on events of the largest size, and measures how long they take. */
const SCHEMAS = runs(500);
const HOSTILE = { bytes: 4_096, levels: EVENT_LIMITS.maxDepth };
/** The other implementation takes long to compile a schema, and has no limit for an event. */
const COMPARED = runs(60);
const SMALL = { bytes: 300, levels: 4 };

describe('random schemas that like recursion, references and patterns', () => {
  it('are refused with a sentence, or check every hostile event to an end', () => {
    const random = createRandom(28);
    const counts = { refused: 0, accepted: 0, tooExpensive: 0 };
    for (let n = 0; n < SCHEMAS; n++) {
      const text = JSON.stringify(randomSchema(random));
      const checked = checkSchema(text);
      if (!checked.ok) {
        expect(checked.reason).toMatch(/^[A-Z$].+\.$/s);
        counts.refused += 1;
        continue;
      }
      counts.accepted += 1;
      const failure = compileSchema(text)(randomEvent(random, HOSTILE));
      if (failure?.message.includes('steps') === true) counts.tooExpensive += 1;
    }
    // The generator is worth its time only if it makes all three.
    expect(counts.refused).toBeGreaterThan(SCHEMAS / 20);
    expect(counts.accepted).toBeGreaterThan(SCHEMAS / 3);
    expect(counts.tooExpensive).toBeGreaterThan(SCHEMAS / 100);
  });

  it('accept the same events as another implementation of the draft', () => {
    const random = createRandom(2_020);
    let compared = 0;
    for (let n = 0; n < COMPARED; n++) {
      const text = JSON.stringify(randomSchema(random), comparable);
      if (!checkSchema(text).ok) continue;
      const check = compileSchema(text);
      const other = new Ajv2020({ strict: false, ownProperties: true, logger: false });
      const validate = other.compile(JSON.parse(text) as object);
      for (let k = 0; k < 8; k++) {
        const event = randomEvent(random, SMALL);
        const failure = check(event);
        if (failure?.message.includes('steps') === true) continue;
        expect([text, event, failure === undefined]).toEqual([text, event, validate(event)]);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(COMPARED);
  });
});

/**
 * Without formats, of which each implementation checks others, and without `unevaluated…`: Ajv counts what an `if` that fails has
 * looked at, against the standard.
 */
function comparable(keyword: string, value: unknown): unknown {
  return /^(unevaluated|format)/.test(keyword) ? undefined : value;
}
