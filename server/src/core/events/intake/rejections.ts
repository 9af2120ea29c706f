/**
 * Why a single event of a batch is not accepted. A code is permanent once shipped: clients switch on it, and the
 * reference lists them from here.
 */
export const REJECTIONS = {
  event_invalid: 'The event is not an object.',
  event_type_invalid: '`eventType` is not a string of 1 to 128 characters.',
  event_id_invalid: '`eventId` is there, but not a string of 1 to 128 characters.',
  timestamp_malformed: '`timestamp` is not RFC 3339 with a zone, or not a real instant.',
  payload_invalid: '`payload` is not an object, or a member of it that has a meaning is not of its type.',
  metadata_invalid:
    '`metadata` is not an object, or a member of it is not what it has to be: `country` a code of two letters, `currency` an ISO 4217 code.',
  sequence_invalid: '`seq` is not an integer from 1 to 2^53−1, though `X-Install-Id` was sent.',
  sequence_too_sparse:
    'The number would leave more gaps than the limit, or the player has too many installations.',
  event_too_large: 'The event takes more bytes than the limit.',
  too_deep: 'The event is nested deeper than the limit.',
  invalid_unicode: 'A string holds a NUL character or half of a surrogate pair: it cannot be stored exactly.',
  number_out_of_range: 'A number cannot be stored exactly as a double.',
  schema_mismatch: 'The event does not match the JSON Schema that the studio registered for its type.',
  player_unknown: 'An event of a server names no player of the game: `userId` is missing or unknown.',
  receipt_invalid: 'The receipt of a purchase is not to be believed: forged, changed or malformed.',
  store_not_configured:
    'The receipt is of a store that the game has not set up, so it cannot be checked. The studio can replay it when the store is set up.',
  receipt_of_another_app: 'The receipt is of another app than those that the studio has set up.',
  receipt_of_another_player:
    'The receipt names a player (`appAccountToken`, `obfuscatedAccountId`), and it is not this one.',
  receipt_sandbox: 'The receipt is of a sandbox, and the studio has not marked the player as a tester.',
  receipt_pending: 'The purchase is pending: nothing was paid yet.',
  price_implausible: 'The price is above the largest that the studio believes without a receipt.',
  event_type_unregistered: 'The studio holds events of types that it has not registered, and this is one.',
} as const satisfies Record<string, string>;

export type RejectionCode = keyof typeof REJECTIONS;
