import type { PlayerKey } from '../events/intake/event-record.js';

/** The player whose facts are rebuilt. */
export type RebuiltPlayer = PlayerKey & Readonly<{ userId: string; createdAt: number }>;
