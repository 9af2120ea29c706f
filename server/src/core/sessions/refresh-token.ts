import { bucketOfUser } from '../../platform/lib/player-buckets.js';
import { type ParsedRefreshToken, parseRefreshToken } from './refresh-chain.js';

/**
 * What clients hold: the bucket of the player as one character, then the token of the refresh chain. A refresh names no player, so
 * without the character nobody could tell where its session lies once players are distributed (docs/adr/0032-ids-and-buckets.md).
 */
export type SentRefreshToken = ParsedRefreshToken & { bucket: number };

/** The alphabet of base64url: one character for each bucket. */
const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

export function formatSentToken(userId: string, token: string): string {
  return `${CHARACTERS.charAt(bucketOfUser(userId))}${token}`;
}

/** Strict, as `parseRefreshToken`. */
export function parseSentToken(text: string): SentRefreshToken | undefined {
  const bucket = CHARACTERS.indexOf(text.charAt(0));
  const token = text === '' || bucket < 0 ? undefined : parseRefreshToken(text.slice(1));
  return token === undefined ? undefined : { ...token, bucket };
}
