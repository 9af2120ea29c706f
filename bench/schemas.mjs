// npm run bench -- schemas [--schemas 20000] [--seed 1] [--events 3] : how long random schemas and hostile ones hold a process: to be
// checked and compiled when they are saved, and to check events of the largest size. Says the longest of each.
import { parseArgs } from 'node:util';
import { EVENT_LIMITS } from '../server/dist/core/events/intake/limits.js';
import {
  CHECK_LIMITS,
  checkSchema,
  compileSchema,
} from '../server/dist/platform/lib/json-schema/bounded-schema.js';
import { hostileSchemas } from './support/hostile-schemas.mjs';
import { createRandom, randomEvent, randomSchema } from './support/random-schemas.mjs';

const { values } = parseArgs({
  options: {
    schemas: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    events: { type: 'string', default: '3' },
  },
});
const LIMITS = { bytes: EVENT_LIMITS.maxEventBytes, levels: EVENT_LIMITS.maxDepth };

const longest = { save: 0, load: 0, event: 0 };
const counts = { accepted: 0, refused: 0, matched: 0, failed: 0, tooExpensive: 0 };

for (const { name, schema, event } of hostileSchemas(LIMITS)) {
  // The runtime compiles its own code meanwhile: the fifth time is the usual one.
  let times;
  for (let run = 0; run < 5; run++) times = measure(schema, [event]);
  const { save, load, event: check } = times;
  console.log(
    `${name}: ${times.outcome}; save ${save.toFixed(1)} ms, load ${load.toFixed(1)} ms, event ${check.toFixed(1)} ms`,
  );
}
for (const key of Object.keys(longest)) longest[key] = 0;
for (const key of Object.keys(counts)) counts[key] = 0;

const random = createRandom(Number(values.seed));
for (let n = 0; n < Number(values.schemas); n++) {
  const schema = randomSchema(random);
  measure(
    schema,
    Array.from({ length: Number(values.events) }, () => randomEvent(random, LIMITS)),
  );
}
console.log(`${values.schemas} random schemas:`, counts);
console.log(
  `longest: save ${longest.save.toFixed(1)} ms, load ${longest.load.toFixed(1)} ms, event ${longest.event.toFixed(1)} ms` +
    ` (at most ${CHECK_LIMITS.steps} steps and ${CHECK_LIMITS.stepsPerByte} for each byte)`,
);

function measure(schema, events) {
  const text = JSON.stringify(schema);
  const times = { save: 0, load: 0, event: 0, outcome: 'accepted' };
  const checked = timed(times, 'save', () => checkSchema(text));
  counts[checked.ok ? 'accepted' : 'refused'] += 1;
  if (!checked.ok) return { ...times, outcome: checked.reason };
  const check = timed(times, 'load', () => compileSchema(text));
  for (const event of events) {
    const failure = timed(times, 'event', () => check(event));
    const outcome =
      failure === undefined ? 'matched' : /steps/.test(failure.message) ? 'tooExpensive' : 'failed';
    counts[outcome] += 1;
    times.outcome = `accepted, ${outcome}`;
  }
  return times;
}

function timed(times, kind, run) {
  // CPU time, with the garbage collector's: other programs on the machine do not count.
  const before = process.cpuUsage();
  const result = run();
  const { user, system } = process.cpuUsage(before);
  const tookMs = (user + system) / 1000;
  times[kind] = Math.max(times[kind], tookMs);
  longest[kind] = Math.max(longest[kind], tookMs);
  return result;
}
