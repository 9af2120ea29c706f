import { DAY_MS } from '../../platform/lib/day.js';
import type { Span } from '../../studio/jobs/export-span.js';
import type { ExportFormat } from './export-format.js';
import type { ExportKey } from './export-queries.js';

/**
 * An export in the background.
 *
 *   waiting ──claimed by a node──► running ──► done ───┐
 *      ▲                            │ │ └────► failed ─┼── expires ──► deleted
 *      └── the node stops, or ──────┘ └──► cancelled ──┘
 *          sends no heartbeat
 */
const EXPORT_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const;
export type ExportState = (typeof EXPORT_STATES)[number];

export type ExportJob = {
  exportId: string;
  gameId: number;
  format: ExportFormat;
  from: string;
  to: string;
  state: ExportState;
  createdBy: string;
  createdAt: number;
  /** An estimate of the events of the span, and the events written so far. */
  expectedEvents: number;
  shownEvents: number;
  bytes: number;
  chunks: number;
  failure: string | null;
  finishedAt: number | null;
  expiresAt: number;
};

/** What a node needs to continue an export. */
export type ClaimedExport = Readonly<{
  exportId: string;
  gameId: number;
  format: ExportFormat;
  span: Span;
  /** The last key that was written; null at the beginning. */
  after: ExportKey | null;
  events: number;
  attempts: number;
}>;

/** The limit of one compressed file. Files are stored in the database, where disk is expensive. */
export const MAX_BYTES = 1024 ** 3;
/** A studio whose files have this size together cannot start another export. */
export const MAX_KEPT_BYTES = 2 * 1024 ** 3;
/** Exports of one studio, in any state. */
export const MAX_KEPT = 100;
/** Exports of one studio that are waiting or running. */
export const MAX_OPEN = 3;
/** How long a file is kept: long enough for a weekend. */
export const KEPT_MS = 3 * DAY_MS;
/** An export that has not ended after this time is deleted. */
export const OPEN_MS = 7 * DAY_MS;
