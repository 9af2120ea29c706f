/**
 * Why something was refused: `wait`, it would have taken too long; `own_line`, too much of the same sender waits already;
 * `full`, no more may wait.
 */
export type OverloadReason = 'wait' | 'own_line' | 'full';

/** Too much is waiting for its turn already. Whoever is told so has lost nothing, and may try again shortly. */
export class OverloadedError extends Error {
  override readonly name = 'OverloadedError';
  readonly reason: OverloadReason;
  constructor(reason: OverloadReason = 'full') {
    super('Too much work is waiting. Try again shortly.');
    this.reason = reason;
  }
}
