import { findFacts } from '../../core/players/facts-queries.js';
import type { PlayerFacts } from '../../decide/attributes/player-facts.js';
import { keyOf, type OwnDefinition } from '../../decide/own-attributes/own-definition.js';
import { type Pool, query } from '../../platform/db/pool.js';
import type { KeySemaphore } from '../../platform/lib/fair-semaphore.js';
import { UUID_ANY_CASE } from '../../platform/lib/uuid.js';
import { rebuildFacts } from './rebuild-facts.js';
import type { RebuiltPlayer } from './rebuilt-player.js';

/** Where the facts of an explanation come from. */
export type FactsSource = 'current row' | 'stored events' | 'hypothetical';

export type ExplainedPlayer = Readonly<{
  facts: PlayerFacts;
  source: FactsSource;
  /** Events before this time are deleted, so the facts lack them. */
  completeSince: string | null;
}>;

export type PlayerOutcome =
  | Readonly<{ outcome: 'found'; player: ExplainedPlayer }>
  | Readonly<{ outcome: 'player_not_found'; firstSeenAt: number | null }>
  | Readonly<{ outcome: 'busy' }>;

type Sources = Readonly<{
  pool: Pool;
  /** See `createRebuildPool`. */
  rebuilds: Pool;
  semaphore: KeySemaphore;
  signal: AbortSignal | undefined;
}>;
type Instants = Readonly<{ atMs: number; nowMs: number }>;

/** The own attributes of the document that is explained, and whether it is the one in force: then only what is worked out counts. */
export type ExplainedAttributes = Readonly<{ attributes: readonly OwnDefinition[]; isInForce: boolean }>;

/** The facts about a player at an instant. For an instant in the future, the facts are those of now. */
export async function findPlayerAt(
  { pool, rebuilds, semaphore, signal }: Sources,
  gameId: number,
  userId: string,
  { atMs, nowMs }: Instants,
  { attributes, isInForce }: ExplainedAttributes,
): Promise<PlayerOutcome> {
  const player = UUID_ANY_CASE.test(userId) ? await findPlayer(pool, gameId, userId) : undefined;
  if (player === undefined) return { outcome: 'player_not_found', firstSeenAt: null };
  if (player.createdAt > atMs) return { outcome: 'player_not_found', firstSeenAt: player.createdAt };
  if (atMs >= nowMs) {
    const [reading] = await findFacts(pool, [player.playerId], nowMs);
    if (reading === undefined) return { outcome: 'player_not_found', firstSeenAt: null };
    const { facts } = reading;
    if (isInForce || isWorkedOut(facts, attributes)) {
      return found({ facts, source: 'current row', completeSince: null });
    }
    const computed = semaphore.take(() => rebuildFacts(rebuilds, player, nowMs, { signal, attributes }));
    if (computed === undefined) return { outcome: 'busy' };
    const { own } = (await computed).facts;
    return found({ facts: { ...facts, own }, source: 'current row', completeSince: null });
  }
  const running = semaphore.take(() => rebuildFacts(rebuilds, player, atMs, { signal, attributes }));
  if (running === undefined) return { outcome: 'busy' };
  const { facts, deletedBefore } = await running;
  const completeSince = deletedBefore === null ? null : `${deletedBefore}T00:00:00.000Z`;
  return found({ facts: { ...facts, ...ageGroupAt(player, atMs) }, source: 'stored events', completeSince });
}

function isWorkedOut({ own }: PlayerFacts, attributes: readonly OwnDefinition[]): boolean {
  return own === 'no events' || attributes.every((definition) => Object.hasOwn(own, keyOf(definition)));
}

function found(player: ExplainedPlayer): PlayerOutcome {
  return { outcome: 'found', player };
}

export type AgeGroupFacts = Pick<PlayerFacts, 'ageGroup' | 'ageGroupAt'>;
type FoundPlayer = RebuiltPlayer & AgeGroupFacts;

/** No event says it, and former age groups are not kept: before the last change it is not known. */
export function ageGroupAt(player: AgeGroupFacts, atMs: number): AgeGroupFacts {
  const isKnown = player.ageGroupAt !== null && player.ageGroupAt <= atMs;
  return isKnown
    ? { ageGroup: player.ageGroup, ageGroupAt: player.ageGroupAt }
    : { ageGroup: null, ageGroupAt: null };
}

async function findPlayer(pool: Pool, gameId: number, userId: string): Promise<FoundPlayer | undefined> {
  const rows = await query<FoundPlayer>(
    pool,
    {
      name: 'find_explained_player',
      text: `select id as "playerId", game_id as "gameId", user_id as "userId", created_at as "createdAt",
               age_group as "ageGroup", age_group_at as "ageGroupAt"
             from players where game_id = $1 and user_id = $2`,
    },
    [gameId, userId],
  );
  return rows[0];
}
