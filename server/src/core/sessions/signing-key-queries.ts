import type { JWK } from 'jose';
import type { Client, Pool } from '../../platform/db/pool.js';

export type TrustedKey = {
  kid: string;
  publicJwk: JWK;
  sealedPrivate: Buffer;
  createdAt: number;
  activeFrom: number;
};

/** As one snapshot of the database. */
export type KeySet = {
  version: number;
  /** The keys that are not revoked, the newest first. */
  keys: TrustedKey[];
  /** The `kid`s of revoked keys. */
  revoked: string[];
};

export async function findKeySet(pool: Pool): Promise<KeySet> {
  const { rows } = await pool.query<TrustedKey & { version: number; revoked: string[]; kid: string | null }>(
    `select s.version, array(select kid from signing_keys where revoked_at is not null) as revoked, k.kid,
       k.public_jwk as "publicJwk", k.sealed_private as "sealedPrivate", k.created_at as "createdAt",
       k.active_from as "activeFrom"
     from signing_key_state s
     left join signing_keys k on k.revoked_at is null
     order by k.ordinal desc`,
  );
  const [first] = rows;
  return {
    version: first?.version ?? 0,
    keys: rows.filter(({ kid }) => kid !== null),
    revoked: first?.revoked ?? [],
  };
}

export async function findKeysVersion(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ version: number }>('select version from signing_key_state');
  return rows[0]?.version ?? 0;
}

/**
 * Until the end of the transaction no other transaction changes the keys or adds a game. Nodes that read the keys do not
 * wait.
 */
export async function lockSigningKeys(client: Client): Promise<void> {
  await client.query('select from signing_key_state for update');
}

/**
 * After this every node reads the keys again with its next request: each game row holds the version, and every request reads
 * its game. Games are locked in one order. Returns the new version.
 */
export async function updateKeysVersion(client: Client): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    `with changed as (
       update signing_key_state set version = version + 1 returning version
     ), held as (
       select id from games order by id for no key update
     ), told as (
       update games g set signing_keys_version = changed.version from changed, held where g.id = held.id
     )
     select version from changed`,
  );
  return rows[0]?.version ?? 0;
}

export async function insertSigningKey(client: Client, key: TrustedKey & { ordinal: number }): Promise<void> {
  await client.query(
    `insert into signing_keys (kid, public_jwk, sealed_private, created_at, active_from, ordinal)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      key.kid,
      key.publicJwk,
      key.sealedPrivate,
      new Date(key.createdAt),
      new Date(key.activeFrom),
      key.ordinal,
    ],
  );
}

/** The id of the master key stands in each sealed value: see platform/security/master-keys.ts. Returns how many there were. */
export async function deleteKeysUnder(client: Client, masterKeyId: string): Promise<number> {
  const { rowCount } = await client.query(
    "delete from signing_keys where encode(substring(sealed_private from 2 for 4), 'hex') = $1",
    [masterKeyId],
  );
  return rowCount ?? 0;
}

export type ListedSigningKey = {
  kid: string;
  createdAt: number;
  activeFrom: number;
  revokedAt: number | null;
};

/** All that ever were, the newest first. */
export async function listSigningKeys(db: Pool | Client): Promise<ListedSigningKey[]> {
  const { rows } = await db.query<ListedSigningKey>(
    `select kid, created_at as "createdAt", active_from as "activeFrom", revoked_at as "revokedAt"
     from signing_keys order by ordinal desc`,
  );
  return rows;
}

export async function updateKeyRevoked(client: Client, kid: string, nowMs: number): Promise<void> {
  await client.query('update signing_keys set revoked_at = $2 where kid = $1', [kid, new Date(nowMs)]);
}

export async function updateActiveFrom(client: Client, kid: string, activeFrom: number): Promise<void> {
  await client.query('update signing_keys set active_from = $2 where kid = $1', [kid, new Date(activeFrom)]);
}
