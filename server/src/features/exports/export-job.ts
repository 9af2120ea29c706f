import { DAY_MS } from '../../lib/day.js';
import type { ExportFormat } from '../analytics/export-format.js';
import type { ExportKey } from '../analytics/export-queries.js';
import type { Span } from '../analytics/export-span.js';

/**
 * An export in the background.
 *
 *   waiting ──claimed by a node──► running ──► done ───┐
 *      ▲                            │ │ └────► failed ─┼── expires ──► deleted
 *      └── the node stops, or is ───┘ └──► cancelled ──┘
 *          not heard of for a while
 */
export const EXPORT_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const;
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
  /** About how many there are, and how many were written. */
  expectedEvents: number;
  shownEvents: number;
  bytes: number;
  chunks: number;
  failure: string | null;
  finishedAt: number | null;
  expiresAt: number;
};

/** What a node needs to go on with one. */
export type ClaimedExport = Readonly<{
  exportId: string;
  gameId: number;
  format: ExportFormat;
  span: Span;
  /** Behind which it goes on; null at the beginning. */
  after: ExportKey | null;
  events: number;
  attempts: number;
}>;

/** Of one, compressed. They are kept in the database, where disk is dear. */
export const MAX_BYTES = 1024 ** 3;
/** Of all exports of a studio that are kept: at the start of one more there must be less. */
export const MAX_KEPT_BYTES = 2 * 1024 ** 3;
/** Of one studio, in whatever state. */
export const MAX_KEPT = 100;
/** Waiting or running, of one studio. */
export const MAX_OPEN = 3;
/** Long enough for a weekend. */
export const KEPT_MS = 3 * DAY_MS;
/** For one that has not ended: whoever comes back after a week has given up. */
export const OPEN_MS = 7 * DAY_MS;
