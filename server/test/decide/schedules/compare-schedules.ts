import type { Schedule } from '../../../src/decide/schedules/schedule.js';
import { compileSchedule } from '../../../src/decide/schedules/windows.js';
import { stateBySlowWay, windowsBySlowWay } from './schedule-oracle.js';
import { zonePeriods } from './zone-periods.js';

const DAY_MS = 86_400_000;
const START = Date.UTC(2024, 0, 15);
const SPAN = Date.UTC(2028, 10, 1) - START;

export type Comparison = Readonly<{ triples: number; differences: string[] }>;

/** Random schedules at random instants, many of them near changes of clocks and near boundaries, against the oracle. */
export function compareSchedules(
  zones: readonly string[],
  seed: number,
  counts: Readonly<{ schedules: number; instants: number }>,
): Comparison {
  const random = randomNumbers(seed);
  const differences: string[] = [];
  let triples = 0;
  for (const zone of zones) {
    const periods = zonePeriods(zone);
    const changes = periods.map(({ from }) => from).filter((from) => from > START && from < START + SPAN);
    for (let n = 0; n < counts.schedules; n++) {
      const schedule = randomSchedule(random);
      const windows = windowsBySlowWay(schedule, periods);
      const { stateAt } = compileSchedule(schedule, 'UTC');
      for (let each = 0; each < counts.instants; each++) {
        const instant = randomInstant(random, changes, windows);
        const [found, expected] = [stateAt(instant, zone), stateBySlowWay(windows, instant)].map((state) =>
          JSON.stringify(withinSpan(state)),
        );
        triples++;
        if (found !== expected) {
          differences.push(
            `${zone} ${new Date(instant).toISOString()} ${JSON.stringify(schedule)}: ${found} instead of ${expected}`,
          );
        }
      }
    }
  }
  return { triples, differences };
}

/** The oracle knows five years: boundaries outside of them are as good as none. */
function withinSpan({ window, since, until, isOpenNext }: ReturnType<typeof stateBySlowWay>) {
  const isEndKnown = until <= START + SPAN + 80 * DAY_MS;
  return {
    window,
    since: since < START - 40 * DAY_MS ? null : since,
    until: isEndKnown ? until : null,
    isOpenNext: isEndKnown ? isOpenNext : null,
  };
}

function randomInstant(
  random: (below: number) => number,
  changes: readonly number[],
  windows: readonly { from: number; until: number }[],
): number {
  const kind = random(3);
  const change = changes[random(Math.max(1, changes.length))];
  if (kind === 0 && change !== undefined) return change + (random(4 * 1440) - 2 * 1440) * 60_000;
  const window = windows[random(Math.max(1, windows.length))];
  if (kind === 1 && window !== undefined) {
    const boundary = random(2) === 0 ? window.from : window.until;
    if (boundary > START && boundary < START + SPAN) return boundary + random(3) - 1;
  }
  return START + random(SPAN / 1000) * 1000;
}

function randomSchedule(random: (below: number) => number): Schedule {
  const time = () => {
    const minute = random(4) === 0 ? 0 : random(48) * 30 + (random(4) === 0 ? 15 : 0);
    return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
  };
  const date = () => new Date(START + random(SPAN / DAY_MS) * DAY_MS).toISOString().slice(0, 10);
  const isLimited = random(4) === 0;
  const dates = [date(), date()].sort();
  const everyWeeks = isLimited ? random(4) + 1 : 1;
  const days = [
    { every: 'day' as const },
    {
      every: 'week' as const,
      weekdays: [1, 2, 3, 4, 5, 6, 7].filter(() => random(2) === 0).concat(random(7) + 1),
      everyWeeks,
    },
    { every: 'month' as const, day: random(3) === 0 ? ('last' as const) : random(31) + 1 },
  ][random(3)] ?? { every: 'day' as const };
  return {
    days,
    from: time(),
    ...(random(2) === 0
      ? { to: time() }
      : { lengthMinutes: random(3) === 0 ? random(10_080) + 1 : random(180) + 1 }),
    zone: 'player',
    firstDate: isLimited ? (dates[0] ?? null) : null,
    lastDate: isLimited && random(2) === 0 ? (dates[1] ?? null) : null,
    except: Array.from({ length: random(3) }, date),
  };
}

/** Mulberry32: the same numbers for the same seed, below 2^32. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
