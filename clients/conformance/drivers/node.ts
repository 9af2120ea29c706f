import { createInterface } from 'node:readline';
import { fileStorage } from '@savepoint/client/node';
import { createDriver } from './driver.js';

const handle = createDriver({
  name: '@savepoint/client in Node',
  openStorage: fileStorage,
  send: (message) => void process.stdout.write(`${JSON.stringify(message)}\n`),
});
createInterface({ input: process.stdin }).on('line', (line) => handle(JSON.parse(line)));
