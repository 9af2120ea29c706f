import { purchaseRate } from './purchase-rate.js';
import { beta, between, exponential, gamma, logNormal, pick, type Random, randomFrom } from './random.js';
import { CASUAL, DAY_MS, HOUR_MS, MINUTE_MS, type Simulation } from './simulation.js';
import { COUNTRIES, type Country, PLATFORMS, type Platform, SOURCES } from './world.js';

/** What a player is like, all life long. */
export type Traits = Country &
  Platform & {
    /** The day of the simulation on which the game was installed; fractions for players who install after its end. */
    installDay: number;
    /** Plays on a day, given that the player has not left for good (BG/BB). */
    playsDaily: number;
    /** Leaves for good on a day. */
    leavesDaily: number;
    sessionsPerDay: number;
    sessionMinutes: number;
    adsPerLevel: number;
    /** Purchases per session; 0 for the many who never pay. */
    purchasesPerSession: number;
    /** 1 for most payers; for some many times that, and they buy the expensive SKUs. */
    appetite: number;
    /** Days from the release of a build until this player has it; infinite for some. */
    updateLagDays: number;
    /** `metadata.source` of all events. */
    source: string | undefined;
    clockErrorMs: number;
    /** From this session on the clock is wrong by another amount. */
    clockJump: { session: number; errorMs: number } | undefined;
    offlineShare: number;
    flakyShare: number;
    /** Behind a proxy that acknowledges every request and passes on only some of them. */
    swallowedShare: number;
  };

/** The first days bring more players than later ones, as a launch does. */
const LAUNCH = { weight: 2.5, days: 4 };

const SOURCE_KEY = 5;

export function traitsOf(simulation: Simulation, index: number): Traits {
  const habits = simulation.habits ?? CASUAL;
  const random = randomFrom(simulation.seed, index, 1);
  const country = pick(random, COUNTRIES);
  const isPayer = random() < habits.payerShare * country.wealth;
  return {
    ...country,
    ...pick(random, PLATFORMS),
    installDay: installDay(simulation, index, random),
    playsDaily: beta(random, ...habits.playsDaily),
    leavesDaily: beta(random, ...habits.leavesDaily),
    sessionsPerDay: Math.min(12, 0.4 + habits.sessionsPerDay * gamma(random, 1.2)),
    sessionMinutes: Math.min(40, logNormal(random, 6, 0.5)),
    adsPerLevel: beta(random, 1.5, 3),
    purchasesPerSession: isPayer ? purchaseRate(random, habits) : 0,
    appetite: Math.min(60, Math.exp(exponential(random, 0.7))),
    updateLagDays: random() < 0.1 ? Number.POSITIVE_INFINITY : exponential(random, 3),
    // Drawn apart, so that it changes nothing else about the player.
    source: pick(randomFrom(simulation.seed, index, SOURCE_KEY), SOURCES).source,
    clockErrorMs: clockError(random),
    clockJump:
      random() < 0.01 ? { session: 1 + Math.floor(random() * 4), errorMs: clockError(random) } : undefined,
    offlineShare: random() < 0.15 ? between(random, 0.1, 0.4) : 0.01,
    flakyShare: random() < 0.3 ? between(random, 0.02, 0.2) : 0.005,
    swallowedShare: random() < 0.03 ? between(random, 0.05, 0.3) : 0,
  };
}

function installDay({ days, players }: Simulation, index: number, random: Random): number {
  // Players who come later come at the pace of the average day.
  if (index >= players) return days + ((index - players + random()) * days) / players;
  const launch = random() * (days + LAUNCH.weight * LAUNCH.days) > days;
  return Math.floor(launch ? Math.min(exponential(random, LAUNCH.days), days - 1) : random() * days);
}

/** Most clocks are right to the second. Some are off by minutes, by a time zone, or by months. */
function clockError(random: Random): number {
  const sign = random() < 0.5 ? -1 : 1;
  const kind = random();
  if (kind < 0.92) return Math.round(between(random, -2_000, 2_000));
  if (kind < 0.97) return Math.round(sign * between(random, 1, 30) * MINUTE_MS);
  if (kind < 0.99) return sign * Math.ceil(random() * 12) * HOUR_MS;
  return Math.round(sign * between(random, 20, 400) * DAY_MS);
}
