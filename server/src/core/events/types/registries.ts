import type { Logger } from 'pino';
import type { Pool } from '../../../platform/db/pool.js';
import { type BoundedSchema, compileSchema } from '../../../platform/lib/json-schema/bounded-schema.js';
import { isBuiltInType } from '../intake/built-in-event-types.js';
import type { TypeCheck } from '../intake/check-events.js';
import type { StoreSettings } from '../receipts/store-settings.js';
import { findRegistry, type RegisteredSchema, type Registry } from './event-type-queries.js';

/** Who sends events. Without a player's row, the database could not be asked and only the token's public ids are known. */
type RegistryReader = {
  claims: { tenantId: string; gameId: string };
  player: { gameId: number; registryVersion: number } | undefined;
};

/** A game by its own id, or else by the public ids of a token. */
type StoreReader =
  | Readonly<{ player: Readonly<{ gameId: number }> }>
  | Readonly<{ claims: RegistryReader['claims']; player: undefined }>;

export type Registries = {
  /**
   * The check of the registry as it was when the player's row was read, or newer: never stale, without notifications. Without
   * the row, as this node last knew it.
   */
  checkFor(sender: RegistryReader): TypeCheck | Promise<TypeCheck>;
  /** The check of the registry as it is now. Asks the database each time. */
  current(gameId: number): Promise<TypeCheck>;
  /** What the game says about stores, as of the last check that was asked for. Undefined if it has said nothing. */
  storesOf(game: StoreReader): StoreSettings | undefined;
};

type Loaded = {
  version: number;
  check: TypeCheck;
  types: Map<string, CompiledType>;
  stores: StoreSettings | undefined;
};
type CompiledType = { version: number; schema: BoundedSchema };

/** Before its first change a registry is empty and accepts everything: games that never use it pay nothing. */
const acceptAnyType: TypeCheck = () => undefined;

/** A schema of an older version of the service that this version cannot use. */
export type UnusableSchema = Pick<RegisteredSchema, 'eventType' | 'version'> & {
  gameId: number;
  reason: string;
};
type OnUnusable = (schema: UnusableSchema) => void;

/** For the log of a process that takes events. */
export function logUnusable(logger: Logger): OnUnusable {
  return (schema) =>
    logger.error(
      schema,
      'the events of a type are not checked: its schema cannot be used; register another one',
    );
}

/**
 * Keeps the event types of each game in memory, compiled. A version of a type never changes, so what is compiled stays
 * when the registry moves on. A stored schema that cannot be used is reported once, and accepts all events: players must not lose
 * events because of a rule that was made after their studio registered the schema.
 */
export function createRegistries(pool: Pool, onUnusable: OnUnusable): Registries {
  const newest = new Map<number, Loaded>();
  const loading = new Map<string, Promise<TypeCheck>>();
  const gameIds = new Map<string, number>();

  const load = async (gameId: number): Promise<TypeCheck> => {
    const registry = await findRegistry(pool, gameId);
    if (registry === undefined) throw new Error(`there is no game ${gameId}`);
    const loaded = compile(registry, newest.get(gameId)?.types, (schema) =>
      onUnusable({ gameId, ...schema }),
    );
    newest.set(gameId, loaded);
    return loaded.check;
  };

  const loadOnce = (gameId: number, version: number): Promise<TypeCheck> => {
    // By version: a load that began for an older one may have read before this one was there.
    const key = `${gameId}:${version}`;
    const pending = loading.get(key) ?? load(gameId).finally(() => loading.delete(key));
    loading.set(key, pending);
    return pending;
  };

  return {
    checkFor({ claims, player }) {
      if (player?.registryVersion === 0) return acceptAnyType;
      const publicId = `${claims.tenantId}/${claims.gameId}`;
      const gameId = player?.gameId ?? gameIds.get(publicId);
      if (gameId === undefined) return acceptAnyType;
      gameIds.set(publicId, gameId);
      const known = newest.get(gameId);
      if (player === undefined) return known?.check ?? acceptAnyType;
      return known?.version === player.registryVersion
        ? known.check
        : loadOnce(gameId, player.registryVersion);
    },
    current: load,
    storesOf(game) {
      const gameId =
        game.player === undefined
          ? gameIds.get(`${game.claims.tenantId}/${game.claims.gameId}`)
          : game.player.gameId;
      return gameId === undefined ? undefined : newest.get(gameId)?.stores;
    },
  };
}

function compile(
  registry: Registry,
  before: ReadonlyMap<string, CompiledType> | undefined,
  onUnusable: (schema: Omit<UnusableSchema, 'gameId'>) => void,
): Loaded {
  const types = new Map(
    registry.schemas.map((registered) => {
      const known = before?.get(registered.eventType);
      const compiled =
        known?.version === registered.version ? known : compileWhenNeeded(registered, onUnusable);
      return [registered.eventType, compiled];
    }),
  );
  const holds = registry.unregisteredTypes === 'hold';
  const { version, stores } = registry;
  return { version, types, check: checkBy(types, holds), stores: stores ?? undefined };
}

/**
 * A thousand schemas at once would stop the process for seconds; most nodes need a few of them. One of them takes milliseconds, so a
 * worker compiles it itself: the rules in `bounded-schema.ts` bound the time.
 */
function compileWhenNeeded(
  { eventType, version, schemaText }: RegisteredSchema,
  onUnusable: (schema: Omit<UnusableSchema, 'gameId'>) => void,
): CompiledType {
  let compiled: BoundedSchema | undefined;
  const compileOrAccept = (): BoundedSchema => {
    try {
      return compileSchema(schemaText);
    } catch (error) {
      onUnusable({ eventType, version, reason: (error as Error).message });
      return () => undefined;
    }
  };
  return {
    version,
    schema(event) {
      compiled ??= compileOrAccept();
      return compiled(event);
    },
  };
}

function checkBy(types: ReadonlyMap<string, CompiledType>, holds: boolean): TypeCheck {
  return (eventType, event) => {
    const registered = types.get(eventType);
    if (registered !== undefined) {
      const failure = registered.schema(event);
      return failure && { code: 'schema_mismatch', ...failure };
    }
    // Built-in types are always accepted: a studio that holds unknown types must not lose its purchases.
    if (!holds || isBuiltInType(eventType)) return undefined;
    return {
      code: 'event_type_unregistered',
      path: '/eventType',
      message: 'The event type is not registered. It is held until it is.',
    };
  };
}
