/**
 * How the runner talks to a driver: one JSON object a line, commands on the driver's standard input, messages on its standard
 * output. The README describes it for people who write a driver.
 */
export type Command =
  | { do: 'hello' }
  /** Forget the client, as though the process had ended: the next command is `create`. Only where `hello` has it. */
  | { do: 'reset' }
  | ({ do: 'create' } & CreateOptions)
  | { do: 'clock'; aheadSeconds: number }
  | {
      do: 'track';
      eventType: string;
      payload: Record<string, unknown>;
      metadata?: Record<string, unknown>;
    }
  | { do: 'purchase'; sku: string; receipt: Record<string, unknown>; promoId?: string }
  | { do: 'login' | 'saved' | 'flush' | 'logout' | 'close' }
  /** The typed value of a key, or `defaultValue`, at once. */
  | { do: 'value'; key: string; defaultValue: TypedValue }
  | { do: 'deleteAccount' | 'export' | 'erasureCode' }
  | { do: ReadName };

export type TypedValue = boolean | number | string;

export type ReadName = 'status' | 'store' | 'segments' | 'predictions' | 'values';

export type CreateOptions = {
  /** Address of the scripted service. */
  baseUrl: string;
  /** Address of a signing endpoint: `POST {"deviceId","timestamp"?}` gives a signed login. */
  signUrl: string;
  /** Folder in which the client keeps what has to survive a restart. */
  storage: string;
  deviceId: string;
  /** How far the clock of the device is ahead; only for drivers that can do "clock". */
  clockAheadSeconds?: number;
  build?: string;
  metadata?: Record<string, unknown>;
  batch: { events: number; bytes: number; seconds: number };
  maxStoredBytes?: number;
  fallback?: Partial<Record<ReadName, unknown>>;
};

/** A command with the number that its reply names. */
export type NumberedCommand = Command & { id: number };

export type Reply = { id: number; value?: unknown; error?: { code: string; message: string } };

/** Messages that are no replies: what the client reports to the game. */
export type Notice =
  | { told: 'rejected'; eventType: string; code: string }
  | { told: 'error'; code: string; message?: string };

export type Message = Reply | Notice;

/** What a driver may be able to do beyond the commands that every driver has. */
export type Ability = 'clock' | 'account' | 'reset';

/** What `hello` returns. */
export type Hello = { client: string; can: Ability[] };
