import Type from 'typebox';
import { Compile } from 'typebox/schema';
import type { TransactionChange } from '../../core/events/apply/transaction-changes.js';
import { isAhead, isUserId, type LineError, readInstant, USER_ID_INVALID } from './event-line.js';
import { TransactionIdText } from './sale-member.js';

/** A change of a file, ready to be applied once the internal ids of its player are known. */
export type HistoricChange = Readonly<{
  userId: string;
  change: Omit<TransactionChange, 'playerId' | 'gameId'>;
}>;

/** A decimal number from 0 to 1. */
const Share = Type.String({ pattern: '^(0(\\.\\d{1,30})?|1(\\.0{1,30})?)$' });
const ChangeMembers = Type.Union([
  Type.Object({ change: Type.Literal('moved'), transactionId: TransactionIdText }),
  Type.Object({ change: Type.Literal('notice'), transactionId: TransactionIdText, share: Share }),
]);
const validator = Compile(ChangeMembers);

type ChangeMembers = { change: TransactionChange['kind']; transactionId: string; share?: string };

/** Reads a change as an export writes it. The owner who imports the file vouches for it, as for the times of events. */
export function readChangeLine(members: Record<string, unknown>, nowMs: number): HistoricChange | LineError {
  const { userId, at, recordedAt, refundedAt = null } = members;
  if (!isUserId(userId)) return USER_ID_INVALID;
  if (!validator.Check(members)) return CHANGE_INVALID;
  const [atMs, recordedAtMs] = [readInstant(at), readInstant(recordedAt)];
  const refundedAtMs = refundedAt === null ? null : readInstant(refundedAt);
  if (atMs === undefined || recordedAtMs === undefined || refundedAtMs === undefined) return TIME_INVALID;
  // Every later word of the store would count as older than one of the future.
  if (isAhead(atMs, nowMs)) return aheadError('at');
  if (isAhead(recordedAtMs, nowMs)) return aheadError('recordedAt');
  const { change: kind, transactionId, share = null } = members as ChangeMembers;
  const said = kind === 'moved' ? { share: null, refundedAtMs: null } : { share, refundedAtMs };
  return { userId: userId.toLowerCase(), change: { transactionId, kind, atMs, recordedAtMs, ...said } };
}

const CHANGE_INVALID: LineError = {
  code: 'change_invalid',
  message:
    'A transactionChange needs transactionId (1 to 256 characters) and change: "moved", or "notice" with share, a decimal number from 0 to 1 as text.',
};

const TIME_INVALID: LineError = {
  code: 'change_time_invalid',
  message: 'at, recordedAt and, if it is there, refundedAt must be RFC 3339 with a zone.',
};

function aheadError(name: string): LineError {
  return { code: 'change_time_invalid', message: `The time of ${name} lies in the future.` };
}
