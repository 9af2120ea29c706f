// `npm run bench:schedules` compares schedules with a slow, obvious oracle over all time zones of 2024 to 2028: at least a million
// triples of schedule, zone and instant. The suite compares a few of them. It takes some minutes.
import { spawnSync } from 'node:child_process';

/** 418 zones × 6 × 20 schedules × 20 instants. */
const PROPERTY_RUNS = '20';
const test = 'server/test/personalisation/schedules/schedules.test.ts';
const { status } = spawnSync('npx', ['vitest', 'run', '--testTimeout=1800000', test], {
  stdio: 'inherit',
  env: { ...process.env, PROPERTY_RUNS },
});
process.exitCode = status ?? 1;
