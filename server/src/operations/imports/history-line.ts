import { type HistoricChange, readChangeLine } from './change-line.js';
import { type HistoricEvent, type LineError, readEventLine, readLine } from './event-line.js';

/** A line of `savepoint export events`: an event, or what became of a transaction without an event of its player. */
export type HistoricLine = HistoricEvent | HistoricChange;

/**
 * What is not an event says so by its `kind`. A line with an `eventType` is an event: those of other systems may have a `kind` of
 * their own.
 */
export function readHistoryLine(bytes: Buffer | undefined, nowMs: number): HistoricLine | LineError {
  const line = readLine(bytes);
  if ('code' in line) return line;
  const { eventType, kind } = line.members;
  if (eventType !== undefined || kind === undefined) return readEventLine(line, nowMs);
  return kind === 'transactionChange' ? readChangeLine(line.members, nowMs) : KIND_UNKNOWN;
}

const KIND_UNKNOWN: LineError = {
  code: 'kind_unknown',
  message: 'A line without eventType must be of the kind transactionChange: this version knows no other.',
};
