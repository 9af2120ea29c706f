import { indexedDbStorage } from '@savepoint/client';
import type { Message } from '../src/protocol.js';
import { createDriver } from './driver.js';

/** The names under which the page and the runner that opened it call each other. */
export type DriverPage = { tellRunner(message: Message): void; handle: ReturnType<typeof createDriver> };

const page = globalThis as unknown as DriverPage;
page.handle = createDriver({
  name: '@savepoint/client in a browser',
  openStorage: indexedDbStorage,
  send: (message) => page.tellRunner(message),
});
