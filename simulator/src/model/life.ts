import { below, normal, pick, poisson, type Random, randomFrom } from './random.js';
import { reactedSessions } from './reacted-days.js';
import type { Reacting } from './reaction.js';
import { DAY_MS, firstDayMs, HOUR_MS, MINUTE_MS, type Simulation } from './simulation.js';
import { type Traits, traitsOf } from './traits.js';
import { BUILDS } from './world.js';

/**
 * How the network is during a session: `offline` delivers nothing before the next session that is not; `flaky` loses a response, so that
 * something is sent twice; `swallowed` acknowledges events that never reach the service.
 */
export type NetworkKind = 'online' | 'offline' | 'flaky' | 'swallowed';

export type Session = {
  /** Within the life, from 0. */
  number: number;
  startMs: number;
  durationMs: number;
  build: string;
  /** Counts the installations: a player who comes back after weeks may have to install the game again. */
  install: number;
  network: NetworkKind;
  /** How far the clock of the device is ahead. */
  clockErrorMs: number;
};

export type Life = {
  index: number;
  simulation: Simulation;
  traits: Traits;
  sessions: Session[];
  /** From then on the player does something else than the traits say. */
  reacting?: Reacting | undefined;
};

const MIN_SESSION_MS = 20_000;
const MAX_SESSION_MS = 90 * MINUTE_MS;
/** Between two sessions. */
const PAUSE_MS = 5 * MINUTE_MS;
/** After so long away some players have deleted the game. */
const AWAY_MS = 10 * DAY_MS;
const REINSTALL_SHARE = 0.5;

/** When people play, by their own clock. */
const HOURS = [
  { hour: 8, spread: 1, weight: 15 },
  { hour: 12.5, spread: 1.5, weight: 25 },
  { hour: 20, spread: 2.2, weight: 60 },
];

/**
 * Everything a player does up to the end of the simulation, or up to `untilMs`. The player plays on the day of the installation. On every
 * day after it, the player leaves for good, plays or does not: the process that BG/BB models, with traits that differ between players.
 */
export function lifeOf(
  simulation: Simulation,
  index: number,
  untilMs: number = simulation.endMs,
  reacting?: Reacting,
): Life {
  const traits = traitsOf(simulation, index);
  const random = randomFrom(simulation.seed, index, 2);
  const usual: Session[] = [];
  const start = firstDayMs(simulation);
  // At midnight exactly the new day has begun: a player who installs the game on that day has played before midnight.
  const lastDay = Math.floor((untilMs - start) / DAY_MS) + 1;
  for (let day = Math.floor(traits.installDay); day < lastDay; day++) {
    const isFirst = usual.length === 0;
    if (!isFirst && random() < traits.leavesDaily) break;
    if (!isFirst && random() >= traits.playsDaily) continue;
    if (!addDay(simulation, traits, random, start + day * DAY_MS, usual, untilMs)) break;
  }
  const sessions =
    reacting === undefined
      ? usual
      : reactedSessions(simulation, { index, traits }, usual, { reacting, untilMs });
  const life = { index, simulation, traits, sessions, reacting };
  for (const session of sessions) session.network = rawNetwork(life, session);
  // Later sessions decide, so from the end: swallowed events are noticed only if the next session arrives from the same installation and build.
  for (let at = sessions.length - 1; at >= 0; at--) {
    const session = sessions[at] as Session;
    if (session.network === 'swallowed' && !isNoticed(session, sessions[at + 1])) session.network = 'online';
  }
  return life;
}

/** False once a session reaches past the end: in a longer life, all others come after it, the next day's too. */
function addDay(
  simulation: Simulation,
  traits: Traits,
  random: Random,
  dayMs: number,
  sessions: Session[],
  untilMs: number,
): boolean {
  const count = Math.min(30, 1 + poisson(random, Math.max(0, traits.sessionsPerDay - 1)));
  const starts = Array.from({ length: count }, () => {
    const { hour, spread } = pick(random, HOURS);
    const local = hour + spread * normal(random) - traits.zone;
    return dayMs + (((local % 24) + 24) % 24) * HOUR_MS;
  }).sort((a, b) => a - b);
  for (const wanted of starts) {
    const last = sessions.at(-1);
    const minutes = traits.sessionMinutes * Math.exp(0.7 * normal(random));
    const durationMs = Math.round(Math.min(MAX_SESSION_MS, Math.max(MIN_SESSION_MS, minutes * MINUTE_MS)));
    const free = last === undefined ? 0 : last.startMs + last.durationMs + PAUSE_MS;
    let startMs = Math.round(Math.max(wanted, free));
    // A player who installs the game before the end has played it before the end.
    if (last === undefined && traits.installDay < simulation.days) {
      startMs = Math.min(startMs, simulation.endMs - durationMs - 1);
    }
    if (startMs + durationMs >= untilMs) return false;
    const isAway = last !== undefined && startMs - last.startMs > AWAY_MS;
    const install = (last?.install ?? 0) + (isAway && random() < REINSTALL_SHARE ? 1 : 0);
    const number = sessions.length;
    const { clockJump } = traits;
    const clockErrorMs =
      clockJump !== undefined && number >= clockJump.session ? clockJump.errorMs : traits.clockErrorMs;
    const build = buildAt(simulation, traits, startMs);
    sessions.push({ number, startMs, durationMs, build, install, network: 'online', clockErrorMs });
  }
  return true;
}

/** The newest build that this player has by then. A new player gets the newest there is. */
function buildAt(simulation: Simulation, traits: Traits, atMs: number): string {
  const day = (atMs - firstDayMs(simulation)) / DAY_MS;
  const has = BUILDS.filter(({ released, isBroken }) => {
    if (isBroken === true && traits.osName !== 'Android') return false;
    const releaseDay = released * simulation.days;
    return releaseDay <= Math.max(traits.installDay, day - traits.updateLagDays);
  });
  return (has.at(-1) ?? BUILDS[0])?.build ?? '';
}

function rawNetwork({ simulation, index, traits }: Life, { number }: Session): NetworkKind {
  const at = randomFrom(simulation.seed, index, 3, number)();
  const { offlineShare, flakyShare, swallowedShare } = traits;
  if (at < offlineShare) return 'offline';
  if (at < offlineShare + flakyShare) return 'flaky';
  return at < offlineShare + flakyShare + swallowedShare ? 'swallowed' : 'online';
}

function isNoticed(session: Session, next: Session | undefined): boolean {
  return next?.network === 'online' && next.install === session.install && next.build === session.build;
}

/** The random numbers of one session, whatever happened in the others. */
export function sessionRandom({ simulation, index }: Life, number: number, purpose: number): Random {
  return randomFrom(simulation.seed, index, 4, number, purpose);
}

/** A name for something in a session. */
export function idIn(random: Random, prefix: string): string {
  return `${prefix}-${below(random, 2 ** 31).toString(36)}`;
}
