type ErrorTable = Record<string, { status: number; message: string }>;

/** What only the admin API returns. */
export const ADMIN_ERRORS = {
  parameter_invalid: { status: 400, message: 'A part of the address or its query is not valid.' },
  sign_in_refused: { status: 401, message: 'Email or password is wrong.' },
  second_factor_needed: {
    status: 401,
    message:
      'This account has a second factor. Send the code that your authenticator app shows now, or a recovery code.',
  },
  role_too_low: { status: 403, message: 'This needs a higher role in the studio.' },
  account_needed: {
    status: 403,
    message: 'This is about the account of a person who has signed in. An admin token has none.',
  },
  not_a_member: { status: 403, message: 'Your account is not a member of this studio.' },
  csrf_token_invalid: {
    status: 403,
    message: 'X-CSRF-Token is missing or wrong. Send the csrfToken of GET /admin/v1/me.',
  },
  cross_origin: {
    status: 403,
    message: 'A browser sent this for a page of another origin. Open the console at its own address.',
  },
  password_wrong: { status: 403, message: 'The current password is wrong.' },
  link_invalid: {
    status: 404,
    message: 'This link was used already, has expired or was withdrawn. Ask for a new one.',
  },
  member_not_found: { status: 404, message: 'This studio has no such member.' },
  invitation_not_found: { status: 404, message: 'This studio has no such open invitation.' },
  api_key_not_found: { status: 404, message: 'This game has no such active API key.' },
  admin_token_not_found: { status: 404, message: 'This studio has no such active admin token.' },
  game_not_found: { status: 404, message: 'This studio has no such game.' },
  version_not_found: { status: 404, message: 'The game has no such version of its configuration.' },
  model_not_found: { status: 404, message: 'The game has no such model of predictions.' },
  player_not_found: { status: 404, message: 'The game has no such player.' },
  flag_not_found: { status: 404, message: 'The published configuration has no such flag.' },
  experiment_not_found: { status: 404, message: 'The game has no such experiment.' },
  rate_version_not_found: { status: 404, message: 'The studio has no such version of its rates.' },
  audit_entry_not_found: { status: 404, message: 'The audit log of this studio has no such entry.' },
  job_not_found: {
    status: 404,
    message: 'The game has no such job, or it has ended and cannot be cancelled.',
  },
  export_not_found: { status: 404, message: 'The game has no such export, or no longer.' },
  session_not_found: { status: 404, message: 'The player has no such session.' },
  segment_not_found: { status: 404, message: 'The published configuration has no such segment.' },
  failed_event_not_found: { status: 404, message: 'The inbox of this game has no such entry.' },
  event_type_not_found: { status: 404, message: 'The game has no such registered event type.' },
  erasure_not_found: { status: 404, message: 'The game has no such request to erase a player.' },
  erasure_begun: {
    status: 409,
    message:
      'The erasure has begun, is done, or the request was withdrawn before. It cannot be withdrawn any more.',
  },
  note_not_found: { status: 404, message: 'The player has no such note.' },
  note_not_yours: { status: 403, message: 'Somebody else wrote this note. Write one of your own.' },
  pin_target_not_found: {
    status: 404,
    message: 'What is published has nothing of this name that could be pinned.',
  },
  pin_not_found: { status: 404, message: 'The player has no such pin.' },
  pin_limit: {
    status: 409,
    message: 'The player has as many pins as a player may have. Take another one back first.',
  },
  pin_invalid: { status: 422, message: 'The value cannot be pinned.' },
  override_not_found: { status: 404, message: 'The player has no override of this flag.' },
  model_unusable: {
    status: 409,
    message: 'This model was trained by another build, with other features. Train again instead.',
  },
  game_exists: { status: 409, message: 'The studio has a game with this id already. Choose another id.' },
  game_limit: {
    status: 409,
    message:
      'The studio has as many games as owners may create. An operator of the installation creates more.',
  },
  already_member: { status: 409, message: 'The person with this email is a member of the studio already.' },
  second_factor_off: {
    status: 409,
    message: 'Your second factor is off. Turn it on: that makes recovery codes, too.',
  },
  last_owner: {
    status: 409,
    message: 'This is the last owner of the studio. Make another member an owner first.',
  },
  draft_conflict: { status: 409, message: 'Another editor has changed the draft since you read it.' },
  version_conflict: {
    status: 409,
    message: 'Another version was published after the one that this is based on.',
  },
  price_raise_unconfirmed: {
    status: 409,
    message: 'This would raise prices inside of running offers. Send confirmPriceRaises if that is intended.',
  },
  values_in_use: {
    status: 409,
    message:
      'Builds that players use may ask for values that this takes away or narrows. Send confirmLostValues if that is intended.',
  },
  experiment_not_running: { status: 409, message: 'The experiment does not run.' },
  experiments_exposed: {
    status: 409,
    message:
      'Players are in a running experiment that this would change. Give it another seed, which draws all players anew, or stop it.',
  },
  rates_conflict: { status: 409, message: 'Another editor has changed the rates since you read them.' },
  export_not_ready: { status: 409, message: 'The export is not done. Look at its `state`.' },
  event_files_off: {
    status: 409,
    message: 'This installation writes no files of events. An operator sets SAVEPOINT_EVENT_FILES_DIR.',
  },
  duckdb_missing: { status: 409, message: 'DuckDB is not installed beside Savepoint.' },
  export_limit: { status: 409, message: 'The studio has as many exports as it may.' },
  nothing_to_publish: { status: 409, message: 'The published version already has this content.' },
  failed_event_replayed: { status: 409, message: 'This entry was replayed already.' },
  host_not_allowed: {
    status: 421,
    message: 'The operations listener does not serve this host name. See SAVEPOINT_OPS_ALLOWED_HOSTS.',
  },
  question_invalid: { status: 422, message: 'The question cannot be answered as it is.' },
  question_too_large: { status: 422, message: 'The question needs more memory or time than it may.' },
  document_invalid: { status: 422, message: 'The document cannot be published as it is.' },
  catalogue_invalid: {
    status: 422,
    message: 'The file cannot be imported into the catalogue. Nothing was changed.',
  },
  overrides_invalid: { status: 422, message: 'The file cannot be imported. Nothing was changed.' },
  rates_invalid: { status: 422, message: 'The rates cannot be saved. Nothing was changed.' },
  password_weak: { status: 422, message: 'The password is too easy to guess.' },
  second_factor_code_wrong: {
    status: 422,
    message:
      'The code does not belong to the new secret. Check the clock of your device, and send the next code.',
  },
  sign_in_slowed: {
    status: 429,
    message: 'Too many wrong passwords or codes. Wait for Retry-After seconds and try again.',
  },
  event_schema_invalid: { status: 422, message: 'The schema cannot be registered.' },
  event_still_refused: { status: 422, message: 'The event is still refused; nothing was replayed.' },
  failed_event_cut: {
    status: 422,
    message: 'Only the beginning of this event was kept. Send the whole event, corrected, as `event`.',
  },
  busy: {
    status: 429,
    message: 'The maximum number of these is running already. Wait for Retry-After seconds and try again.',
  },
} as const satisfies ErrorTable;

/**
 * The one table of error codes. A code is permanent once shipped: clients switch on it.
 * The cause of an error is logged, never sent.
 */
export const ERRORS = {
  ...ADMIN_ERRORS,
  // 400
  body_invalid: { status: 400, message: 'The request body does not match the schema of this endpoint.' },
  invalid_json: { status: 400, message: 'The request body is not valid JSON.' },
  invalid_utf8: { status: 400, message: 'The request body is not valid UTF-8.' },
  request_invalid: { status: 400, message: 'The request could not be understood.' },
  header_missing: { status: 400, message: 'A required header is missing.' },
  header_invalid: { status: 400, message: 'A header is repeated or malformed.' },
  timestamp_malformed: {
    status: 400,
    message: 'The timestamp must be a real UTC instant of the form YYYY-MM-DDThh:mm:ssZ.',
  },
  timestamp_out_of_window: {
    status: 400,
    message: 'The request timestamp is outside the acceptable time window. Sign again with serverTime.',
  },
  events_rejected: { status: 400, message: 'Every event of the batch was rejected.' },
  encoding_invalid: { status: 400, message: 'The request body does not match its Content-Encoding.' },
  // 401, always in the string form
  credentials_invalid: { status: 401, message: 'Invalid authentication credentials.' },
  token_missing: { status: 401, message: 'Invalid authentication credentials: no bearer token was sent.' },
  token_invalid: { status: 401, message: 'Invalid authentication credentials: the token is not valid.' },
  token_expired: { status: 401, message: 'Invalid authentication credentials: the token has expired.' },
  session_ended: { status: 401, message: 'Invalid authentication credentials: the session has ended.' },
  refresh_token_invalid: {
    status: 401,
    message: 'Invalid authentication credentials: the refresh token is not valid, was used or has expired.',
  },
  // 403
  tenant_mismatch: { status: 403, message: 'X-Tenant-ID is not the tenant of this token.' },
  game_mismatch: { status: 403, message: 'X-Game-Id is not the game of this token.' },
  player_mismatch: { status: 403, message: 'X-Player-Id is not the player of this token.' },
  notification_invalid: {
    status: 400,
    message: 'The notification is not signed by the store, or is of another app than those of the game.',
  },
  server_key_in_browser: {
    status: 403,
    message:
      'A server key was sent by a browser, where anybody can read it. Revoke it, and send it from a server only.',
  },
  scope_missing: { status: 403, message: 'The server key does not have the scope that this needs.' },
  // 404 to 431
  device_not_attached: { status: 404, message: 'No server has attached this device to a player.' },
  erasure_page_off: {
    status: 404,
    message: 'The game has no page on which players ask for erasure. An owner of the studio turns it on.',
  },
  not_found: { status: 404, message: 'There is nothing at this address.' },
  method_not_allowed: { status: 405, message: 'This address does not support this method.' },
  request_timeout: { status: 408, message: 'The request took too long to arrive.' },
  body_too_large: { status: 413, message: 'The request body is larger than the limit.' },
  batch_too_large: { status: 413, message: 'The batch holds more events than the limit.' },
  unsupported_media_type: { status: 415, message: 'Send the body as application/json.' },
  unsupported_encoding: {
    status: 415,
    message: 'This Content-Encoding is not supported. Send gzip, br, deflate or no encoding.',
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests. Wait for Retry-After seconds and send it again.',
  },
  headers_too_large: { status: 431, message: 'The request headers are too large.' },
  // 5xx
  internal: { status: 500, message: 'Something went wrong on our side. It has been logged.' },
  unavailable: {
    status: 503,
    message: 'The service cannot handle the request right now. Nothing was lost: send it again, unchanged.',
  },
} as const satisfies ErrorTable;

export type ErrorCode = keyof typeof ERRORS;

export type ErrorOptions = {
  /** Replaces the table's sentence where a more precise one helps the caller. */
  message?: string;
  /** Members added to the body (inside `error` in the general form). */
  details?: Record<string, unknown>;
  headers?: Record<string, string>;
  cause?: unknown;
};

/** An error that is sent to the client as it stands. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, options: ErrorOptions = {}) {
    super(options.message ?? ERRORS[code].message, { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = ERRORS[code].status;
    this.details = options.details ?? {};
    this.headers = options.headers ?? {};
  }
}

/** For work that has no place now. */
export function busy(retryAfterSeconds: number, message: string = ERRORS.busy.message): ApiError {
  return new ApiError('busy', { message, headers: { 'retry-after': String(retryAfterSeconds) } });
}

/** The two error forms of the contract: a plain string under /auth/ and for every 401, the general form elsewhere. */
export function errorBody(error: ApiError, path: string): Record<string, unknown> {
  if (error.status === 401 || path.startsWith('/auth/')) {
    return { error: error.message, code: error.code, ...error.details };
  }
  return { error: { code: error.code, message: error.message, ...error.details }, status: 'error' };
}
