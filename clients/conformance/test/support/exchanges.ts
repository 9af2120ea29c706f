import { expect, it } from 'vitest';
import type { ClientHost } from '../../src/client-host.js';
import { EXCHANGES } from '../../src/exchanges/index.js';
import { play } from '../../src/play.js';

/** Below the time limit of a test, so that the suite says what was waited for. */
const PATIENCE_MS = 300_000;

/** A test for each exchange, several at a time: most of them wait. */
export function playEveryExchange(createHost: () => ClientHost): void {
  it.concurrent.each(EXCHANGES)('$name: $rule', async (exchange) => {
    expect(await play(exchange, createHost(), PATIENCE_MS)).toEqual({ result: 'passed' });
  });
}
