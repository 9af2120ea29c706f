import type { Session } from './life.js';
import { between, randomFrom } from './random.js';
import type { Reacting } from './reaction.js';
import { CASUAL, DAY_MS, firstDayMs, type Habits, type Simulation, startOfDay } from './simulation.js';
import type { Traits } from './traits.js';

const RETENTION_KEY = 7;

/** The share of all players who play so many days after their first day: the mean of BG/BB. */
export function playedShare(
  { playsDaily: [plays, rests], leavesDaily: [leaves, stays] }: Habits,
  day: number,
): number {
  let left = 1;
  for (let n = 0; n < day; n++) left *= (stays + n) / (leaves + stays + n);
  return (left * plays) / (plays + rests);
}

/**
 * The sessions of a player whose retention changes, in their order. A lower one leaves out days by lot. A higher one adds a session on days
 * without one, by a lot that is the same for all players: so the share that plays on a day changes by exactly the factor, for players who react
 * since their first day.
 */
export function reactedSessions(
  simulation: Simulation,
  { index, traits }: { index: number; traits: Traits },
  sessions: readonly Session[],
  { reacting, untilMs }: { reacting: Reacting; untilMs: number },
): Session[] {
  const { retention } = reacting.change;
  if (retention === 1) return [...sessions];
  const since = startOfDay(reacting.sinceMs);
  const lotOf = (dayMs: number) => randomFrom(simulation.seed, index, RETENTION_KEY, dayMs / DAY_MS);
  const kept = sessions.filter(({ startMs }) => {
    const day = startOfDay(startMs);
    return day <= since || retention > 1 || lotOf(day)() < retention;
  });
  const added = retention < 1 ? [] : addedSessions();
  return [...kept, ...added].sort((a, b) => a.startMs - b.startMs).map(renumbered);

  function addedSessions(): Session[] {
    const played = new Set(sessions.map(({ startMs }) => startOfDay(startMs)));
    const installDay = firstDayMs(simulation) + Math.floor(traits.installDay) * DAY_MS;
    const found: Session[] = [];
    for (let day = since + DAY_MS; day < untilMs; day += DAY_MS) {
      const share = playedShare(simulation.habits ?? CASUAL, (day - installDay) / DAY_MS);
      if (share * retention > 1) throw new RangeError('more than all players would come back');
      const random = lotOf(day);
      if (played.has(day) || random() >= (share * (retention - 1)) / (1 - share)) continue;
      const like = sessions.findLast(({ startMs }) => startMs < day) ?? sessions[0];
      if (like === undefined) return [];
      const startMs = Math.round(day + between(random, 0, DAY_MS - like.durationMs - 1));
      if (startMs + like.durationMs < untilMs) found.push({ ...like, startMs });
    }
    return found;
  }
}

function renumbered(session: Session, number: number): Session {
  return session.number === number ? session : { ...session, number };
}
