import { lifeOf } from '../../src/model/life.js';
import { eventsOf } from '../../src/model/session-events.js';
import { DAY_MS, HOUR_MS, type Simulation } from '../../src/model/simulation.js';

/** The rule of the service for clocks: events this far ahead or behind count at their receipt. */
const FAR_AHEAD_MS = HOUR_MS;
const FAR_BEHIND_MS = 90 * DAY_MS;

/** Numbers by the name of their cell: `new 2026-11-01`, `cohort 2026-11-01+7`, `active 2026-11-01 1.1.0`. Cells of 0 are left out. */
export type Cells = Map<string, number>;

/**
 * What the dashboard must show of a simulation, computed from the lives alone. A player starts on the day of the first event, as the clock
 * of the device says it, because the service knows no other: a clock that is wrong by hours moves an evening to another day. Events of a clock
 * that cannot be right count at their receipt.
 */
export function dashboardTruth(simulation: Simulation, receivedMs: number): Cells {
  const cells: Cells = new Map();
  const add = (cell: string) => cells.set(cell, (cells.get(cell) ?? 0) + 1);
  for (let index = 0; index < simulation.players; index++) {
    const builds = buildsByDay(simulation, index, receivedMs);
    const start = Math.min(dayOf(receivedMs), ...builds.keys());
    const first = builds.get(start) ?? '';
    for (const name of [dateOf(start), `${dateOf(start)} ${first}`]) add(`new ${name}`);
    for (const [day, build] of builds) {
      for (const name of [dateOf(day), `${dateOf(day)} ${build}`]) add(`active ${name}`);
      // By build, retention goes by the build of the first day.
      for (const name of [dateOf(start), `${dateOf(start)} ${first}`]) add(`cohort ${name}+${day - start}`);
    }
  }
  return cells;
}

/** The active days of a player, each with the build that was reported last. */
function buildsByDay(simulation: Simulation, index: number, receivedMs: number): Map<number, string> {
  const life = lifeOf(simulation, index);
  const days = new Map<number, { ms: number; build: string }>();
  for (const session of life.sessions) {
    if (session.network === 'swallowed') continue;
    for (const { atMs, refusedAs } of eventsOf(life, session)) {
      if (refusedAs !== undefined) continue;
      const ms = countedAt(atMs + session.clockErrorMs, receivedMs);
      const last = days.get(dayOf(ms));
      if (last === undefined || ms >= last.ms) days.set(dayOf(ms), { ms, build: session.build });
    }
  }
  return new Map([...days].map(([day, { build }]) => [day, build]));
}

function countedAt(deviceMs: number, receivedMs: number): number {
  const isSuspect = deviceMs - receivedMs > FAR_AHEAD_MS || receivedMs - deviceMs > FAR_BEHIND_MS;
  return isSuspect ? receivedMs : Math.min(deviceMs, receivedMs);
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** A cell that the service shows. The same cell may be shown in two places. */
export type ShownCell = readonly [name: string, players: number];

type ReceivedBetween = Readonly<{ sinceMs: number; untilMs: number }>;

/**
 * The cells in which the dashboard differs: "new 2026-11-01: 3 instead of 4". Where the truth depends on when exactly the service received the
 * events (midnight passed meanwhile), anything between the two truths is right.
 */
export function differingCells(
  shown: readonly ShownCell[],
  simulation: Simulation,
  { sinceMs, untilMs }: ReceivedBetween,
): string[] {
  const truths = [dashboardTruth(simulation, sinceMs), dashboardTruth(simulation, untilMs)] as const;
  const names = new Set(shown.map(([name]) => name));
  const kinds = new Set(shown.map(([name]) => kindOf(name)));
  const missing = [...new Set(truths.flatMap((truth) => [...truth.keys()]))]
    .filter((name) => !names.has(name) && kinds.has(kindOf(name)))
    .map((name): ShownCell => [name, 0]);
  return [...shown, ...missing].flatMap(([name, players]) => {
    const [one = 0, other = 0] = truths.map((truth) => truth.get(name));
    const isRight = Math.min(one, other) <= players && players <= Math.max(one, other);
    return isRight ? [] : [`${name}: ${players} instead of ${one}`];
  });
}

/** Cells of one kind are shown completely or not at all. Of builds, retention is shown for some days only: each cell is a kind of its own. */
function kindOf(name: string): string {
  const [kind = '', , build] = name.split(' ');
  if (build === undefined) return kind;
  return kind === 'cohort' ? name : `${kind} by build`;
}

type ShownDashboard = Readonly<{
  days: readonly Readonly<{ day: string; newPlayers: number; activePlayers: number }>[];
  cohorts: readonly Readonly<{ day: string; active: readonly number[]; retention: Retention }>[];
}>;
/** By days after the first; null until that day is over. */
type Retention = Readonly<Record<string, number | null>>;

/** The cells of a dashboard. */
export function dashboardCells({ days, cohorts }: ShownDashboard): ShownCell[] {
  return [
    ...days.map(({ day, newPlayers }): ShownCell => [`new ${day}`, newPlayers]),
    ...days.map(({ day, activePlayers }): ShownCell => [`active ${day}`, activePlayers]),
    ...cohorts.flatMap(({ day, active }) =>
      active.map((players, offset): ShownCell => [`cohort ${day}+${offset}`, players]),
    ),
    ...cohorts.flatMap(({ day, retention }) => retentionCells(`cohort ${day}`, retention)),
  ];
}

export function retentionCells(name: string, retention: Retention): ShownCell[] {
  return Object.entries(retention).flatMap(([offset, players]): ShownCell[] =>
    players === null ? [] : [[`${name}+${offset}`, players]],
  );
}
