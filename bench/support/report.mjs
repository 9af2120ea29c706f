import { fitLine, middle } from './statistics.mjs';

/** The summaries of all results of a section. */
export function summariseSection({ samples = [], limits = [], growing = [], openLoops = [], floors = [] }) {
  return {
    ratios: summarise(samples),
    limits: summariseLimits(limits),
    growth: growing.map(summariseGrowth),
    openLoops: summariseOpenLoops(openLoops),
    floors: summariseFloors(floors),
  };
}

/** Medians over the rounds, with the spread of the ratio. */
function summarise(samples) {
  return groups(samples, ({ name, floorName }) => `${name} / ${floorName}`).map(([name, own]) => {
    const median = (pick) => middle(own.map(pick));
    const ratios = own.map(({ ratio }) => ratio);
    return {
      name,
      unit: own[0].unit,
      target: own[0].target,
      orPerSecond: own[0].orPerSecond,
      perSecond: median(({ work }) => work.perSecond),
      floorPerSecond: median(({ floor }) => floor.perSecond),
      ratio: median(({ ratio }) => ratio),
      lowest: Math.min(...ratios),
      highest: Math.max(...ratios),
      p50Ms: median(({ work }) => work.p50Ms),
      p99Ms: median(({ work }) => work.p99Ms),
      serviceCpuMicros: median(({ work }) => work.serviceCpuMicros),
      postgresCpuMicros: median(({ work }) => work.postgresCpuMicros),
      walBytes: median(({ work }) => work.walBytes),
      workerRssMb: median(({ work }) => work.workerRssMb),
    };
  });
}

function summariseFloors(floors) {
  return groups(floors, ({ name }) => name).map(([name, own]) => {
    const rates = own.map(({ perSecond }) => perSecond);
    return { name, perSecond: middle(rates), lowest: Math.min(...rates), highest: Math.max(...rates) };
  });
}

function summariseOpenLoops(openLoops) {
  return groups(openLoops, ({ name }) => name).map(([name, own]) => ({
    name,
    perSecond: middle(own.map(({ perSecond }) => perSecond)),
    p50Ms: middle(own.map(({ p50Ms }) => p50Ms)),
    p99Ms: middle(own.map(({ p99Ms }) => p99Ms)),
    lowest: Math.min(...own.map(({ p99Ms }) => p99Ms)),
    highest: Math.max(...own.map(({ p99Ms }) => p99Ms)),
  }));
}

function summariseLimits(limits) {
  return limits.map(({ name, unit, values, limit }) => ({
    name,
    unit,
    limit,
    value: middle(values),
    lowest: Math.min(...values),
    highest: Math.max(...values),
  }));
}

/** The target for the last round as a share of the first. */
const SMALLEST_LAST = 0.9;

/**
 * Whether an item gets slower as more is stored: a straight line through the ratios of all rounds, its last point against its
 * first, and the same for CPU time, which depends less on other work of the machine.
 */
function summariseGrowth({ name, unit, rounds }) {
  const ratios = rounds.map(({ ratio }) => ratio);
  const fitted = fitLine(ratios);
  const cpu = fitLine(
    rounds.map(({ serviceCpuMicros, postgresCpuMicros }) => serviceCpuMicros + postgresCpuMicros),
  );
  return {
    name: `${name} / ${rounds[0].floorName}`,
    unit,
    stored: rounds.at(-1).stored,
    perSecond: middle(rounds.map(({ perSecond }) => perSecond)),
    first: ratios[0],
    rounds: ratios.map((ratio) => ratio / ratios[0]),
    last: fitted.last / fitted.first,
    error: fitted.error / fitted.first,
    cpuLast: cpu.last / cpu.first,
    walBytes: rounds.map(({ walBytes }) => walBytes),
    upkeepCpuMicros: rounds.map(({ upkeepCpuMicros }) => upkeepCpuMicros),
    target: SMALLEST_LAST,
  };
}

function groups(list, keyOf) {
  const byKey = new Map();
  for (const entry of list) byKey.set(keyOf(entry), [...(byKey.get(keyOf(entry)) ?? []), entry]);
  return [...byKey];
}
