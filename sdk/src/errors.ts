/**
 * Codes that the client itself gives; all others are those of the service. A code is permanent once shipped.
 *
 * | code | what happened | what to do |
 * |---|---|---|
 * | `network_failed` | no response: offline, cut off, or too slow | nothing for events; try reads again later |
 * | `response_invalid` | the response is not from the service: a captive portal, a wrong `baseUrl` | check `baseUrl` |
 * | `sign_failed` | `sign` failed or returned no signed login | look at the signing endpoint |
 * | `logged_out` | the player was logged out, here or in another tab | call `login()` |
 * | `closed` | the client was closed | make a new one |
 * | `event_unserializable` | a payload cannot be written as JSON (a cycle, a BigInt) | correct the call of `track` |
 * | `event_too_large` | an event takes more than 32 KiB | send less |
 * | `storage_full` | the event was dropped, because the storage was full | see `maxStoredBytes` |
 * | `storage_failed` | the storage cannot be used; memory or the next kind is used | nothing |
 * | `storage_damaged` | a part of what was stored is damaged; the rest is used, and new events go on | nothing |
 * | `keys_unavailable` | the public keys of the service could not be fetched | see that the service can be reached |
 * | `token_invalid`, `token_expired` | an access token is not valid (`@savepoint/client/server`) | refuse the player |
 *
 * @example
 * ```ts
 * const code: ClientErrorCode = 'network_failed';
 * ```
 */
export type ClientErrorCode =
  | 'network_failed'
  | 'response_invalid'
  | 'sign_failed'
  | 'logged_out'
  | 'closed'
  | 'event_unserializable'
  | 'event_too_large'
  | 'storage_full'
  | 'storage_failed'
  | 'storage_damaged'
  | 'keys_unavailable'
  | 'token_invalid'
  | 'token_expired';

/** What else is known about an error. */
type Details = {
  status?: number;
  retryAfterSeconds?: number | undefined;
  requestId?: string | undefined;
  cause?: unknown;
};

/**
 * Every failure is one of these. Switch on `code`: it is permanent, the message is not.
 *
 * @example
 * ```ts
 * try {
 *   await savepoint.login();
 * } catch (error) {
 *   if (error instanceof SavepointError && error.code === 'network_failed') showOffline();
 *   else throw error;
 * }
 * ```
 */
export class SavepointError extends Error {
  override readonly name = 'SavepointError';
  /** Of {@link ClientErrorCode}, or a code of the service. */
  declare readonly code: string;
  /** HTTP status, where the service responded. */
  declare readonly status: number | undefined;
  /** How long the service asked to wait. */
  declare readonly retryAfterSeconds: number | undefined;
  /** Quote it when you ask for help. */
  declare readonly requestId: string | undefined;

  constructor(code: ClientErrorCode | (string & {}), message: string, details: Details = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.requestId = details.requestId;
  }
}
