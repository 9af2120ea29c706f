import type { PlayerKey } from '../../core/events/intake/event-record.js';

/** The player whose facts are rebuilt. */
export type RebuiltPlayer = PlayerKey & Readonly<{ userId: string; createdAt: number }>;

/** What was received up to `atMs`; after `afterMs` only, if it is given. */
export type Span = Readonly<{ afterMs?: number; atMs: number }>;
