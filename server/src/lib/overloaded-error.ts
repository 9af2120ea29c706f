/** Too much is waiting for its turn already. Whoever is told so has lost nothing, and may try again shortly. */
export class OverloadedError extends Error {
  override readonly name = 'OverloadedError';
  constructor() {
    super('Too much work is waiting. Try again shortly.');
  }
}
