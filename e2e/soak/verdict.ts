import type { Sample } from './samples.js';

/** A sentence of the verdict. */
export type Finding = Readonly<{ isGood: boolean; sentence: string }>;

/** While code is compiled and tables get their first rows, everything grows: the first third is shown and not judged. */
const WARM_UP_SHARE = 1 / 3;
/** The young generation of a worker takes minutes to reach its size. */
const SHORTEST_MINUTES = 20;
/** Growth over the judged time that is more than chance: both of them. */
const GROWTH = { share: 0.1, memoryMb: 10, tableMb: 1 };
/** PostgreSQL cleans a table up from a fifth of dead rows on, once a minute. */
const DEAD = { share: 0.5, rows: 10_000 };
/** Of the last third against the third before. */
const SLOWER = { times: 2, ms: 50 };

export const RULE = [
  `Before it begins, 40,000 players fill the caches. The first third is not judged.`,
  `Memory grows if the trend of what a process keeps after a full collection, made five times in the rest of ${SHORTEST_MINUTES} minutes at least, is more than ${100 * GROWTH.share}% and ${GROWTH.memoryMb} MB.`,
  `Tables without a row for each player or event grow if theirs is more than ${100 * GROWTH.share}% and ${GROWTH.tableMb} MB.`,
  `Dead rows stay if they are more than half of a table, and more than ${DEAD.rows.toLocaleString('en-US')}, in the median of the last third.`,
  `It becomes slower if the median of the p99 of the last third is more than ${SLOWER.times} times that of the third before, and ${SLOWER.ms} ms more.`,
];

/** These have rows for each player, event or purchase, so they grow while players play. */
const GROWS_WITH_PLAYERS =
  /^(players|player_\w+|devices|sessions|event_(blocks|identities|installs|gaps)|failed_events|transactions|transaction_\w+|segment_stays|experiment_exposures)$/;

export function judge(samples: readonly Sample[]): readonly Finding[] {
  const judged = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
  return [...judgeMemory(judged), ...judgeSizes(judged), ...judgeDeadRows(judged), judgeP99(judged)];
}

/**
 * By what is kept after a full collection. Resident memory grows for an hour without a leak: Node returns pages late, and collects the more rarely,
 * the more there was to keep.
 */
function judgeMemory(samples: readonly Sample[]): Finding[] {
  const collected = samples.filter(({ kept }) => kept !== undefined);
  const seconds = (collected.at(-1)?.seconds ?? 0) - (collected[0]?.seconds ?? 0);
  if (seconds < SHORTEST_MINUTES * 60)
    return [{ isGood: true, sentence: 'It was too short to judge memory.' }];
  return Object.keys(collected.at(-1)?.kept ?? {}).map((name) => {
    const trend = trendOf(collected, ({ kept }) => kept?.[name]);
    const isGood = !growsBy(trend, GROWTH.memoryMb);
    const resident = median(samples.flatMap(({ memory }) => memory[name] ?? []));
    const sizes = `it keeps ${trend.median.toFixed(0)} MB in the median, ${signed(trend.perHour)} MB an hour, and has ${resident.toFixed(0)}`;
    return { isGood, sentence: `Memory of ${name} ${isGood ? 'does not grow' : 'grows'}: ${sizes}.` };
  });
}

function judgeSizes(samples: readonly Sample[]): Finding[] {
  const names = Object.keys(samples.at(-1)?.sizes ?? {});
  const trends = names.map((name) => ({ name, ...trendOf(samples, ({ sizes }) => sizes[name]) }));
  const [growing, bounded] = [
    trends.filter(({ name }) => GROWS_WITH_PLAYERS.test(name)),
    trends.filter(({ name }) => !GROWS_WITH_PLAYERS.test(name)),
  ];
  const largest = growing.sort((a, b) => b.perHour - a.perHour).slice(0, 3);
  const bad = bounded.filter((trend) => growsBy(trend, GROWTH.tableMb));
  const rates = largest.map(({ name, perHour }) => `${name} ${signed(perHour)} MB an hour`);
  return [
    { isGood: true, sentence: `With the players grow, most of all: ${rates.join(', ')}.` },
    ...bad.map(({ name, perHour }) => ({
      isGood: false,
      sentence: `The table ${name} has no row for each player, and grows by ${perHour.toFixed(1)} MB an hour.`,
    })),
    ...(bad.length > 0
      ? []
      : [{ isGood: true, sentence: `None of the ${bounded.length} other tables grows.` }]),
  ];
}

function judgeDeadRows(samples: readonly Sample[]): Finding[] {
  const last = samples.slice(Math.floor(samples.length / 2));
  const tables = Object.keys(last.at(-1)?.rows ?? {}).map((name) => {
    const counts = last.flatMap(({ rows }) => rows[name] ?? []);
    const dead = median(counts.map((count) => count.dead));
    return { name, dead, share: dead / Math.max(1, dead + median(counts.map(({ live }) => live))) };
  });
  const bad = tables.filter(({ dead, share }) => dead > DEAD.rows && share > DEAD.share);
  if (bad.length > 0)
    return bad.map(({ name, dead, share }) => ({
      isGood: false,
      sentence: `Dead rows stay in ${name}: ${dead.toFixed(0)}, ${(100 * share).toFixed(0)}% of it.`,
    }));
  const most = tables.reduce((worst, table) => (table.dead > worst.dead ? table : worst), {
    name: 'no table',
    dead: 0,
    share: 0,
  });
  const sentence = `Dead rows are cleaned up; most are in ${most.name}, ${most.dead.toFixed(0)} in the median, ${(100 * most.share).toFixed(0)}% of it.`;
  return [{ isGood: true, sentence }];
}

function judgeP99(samples: readonly Sample[]): Finding {
  const half = Math.floor(samples.length / 2);
  const p99 = (part: readonly Sample[]) => median(part.flatMap((sample) => sample.p99 ?? []));
  const [before, after] = [p99(samples.slice(0, half)), p99(samples.slice(half))];
  const isGood = after <= Math.max(before * SLOWER.times, before + SLOWER.ms);
  const figures = `p99 ${after.toFixed(0)} ms in the last third, ${before.toFixed(0)} ms in the third before`;
  return { isGood, sentence: `${isGood ? 'It stays as fast' : 'It becomes slower'}: ${figures}.` };
}

type Trend = Readonly<{ median: number; perHour: number; growth: number }>;

/** The median of the slopes between all pairs (Theil and Sen): a few samples during a restart do not bend it. */
export function trendOf(samples: readonly Sample[], read: (sample: Sample) => number | undefined): Trend {
  const points = samples.flatMap((sample) => {
    const value = read(sample);
    return value === undefined ? [] : [{ hours: sample.seconds / 3_600, value }];
  });
  const slopes = points.flatMap((a, index) =>
    points.slice(index + 1).map((b) => (b.value - a.value) / (b.hours - a.hours)),
  );
  const perHour = median(slopes);
  const hours = (points.at(-1)?.hours ?? 0) - (points[0]?.hours ?? 0);
  return { median: median(points.map(({ value }) => value)), perHour, growth: perHour * hours };
}

function growsBy({ median: usual, growth }: Trend, least: number): boolean {
  return growth > least && growth > usual * GROWTH.share;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

const signed = (number: number): string => `${number < 0 ? '−' : '+'}${Math.abs(number).toFixed(1)}`;
