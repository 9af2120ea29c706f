/**
 * Why a queue refused something: `wait`, it would have taken too long; `own_line`, too much of the same sender waits already;
 * `full`, no more may wait.
 */
export type QueueReason = 'wait' | 'own_line' | 'full';
/** `disk`: the disk of the database is all but full. */
export type OverloadReason = QueueReason | 'disk';

/** Too much work is waiting already. Nothing was changed, so the caller may try again shortly. */
export class OverloadedError extends Error {
  override readonly name = 'OverloadedError';
  readonly reason: OverloadReason;
  constructor(reason: OverloadReason = 'full') {
    super('Too much work is waiting. Try again shortly.');
    this.reason = reason;
  }
}
