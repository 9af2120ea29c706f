/** @module-tag full */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { makeCheckout, runScript, writeIn } from './support/checkout.js';

/** Stands for the dev server of the console. */
const DEV_SERVER = `
console.log('  Local:   http://127.0.0.1:5199/console/');
setInterval(() => {}, 1000);
`;

/** Stands for the service: says that it is ready as the real one does, and serves until it is stopped. */
const SERVICE = `import { version } from '../../version.js';
console.log('Savepoint is ready (' + process.env.SAVEPOINT_ENV + ', version ' + version + ').');
console.log('  Console         http://127.0.0.1:8081/console/sign-in#token=abc');
console.log('Press Ctrl-C to stop.');
process.on('SIGTERM', () => {
  console.log(version + ' has stopped.');
  process.exit(0);
});
setInterval(() => {}, 1000);
`;

const version = (text: string) => `export const version: string = ${text};\n`;

it('npm run dev starts the service again after a change, goes on with it after one that cannot be built, and ends all', async () => {
  const root = await makeCheckout({
    'node_modules/vite/bin/vite.js': DEV_SERVER,
    'server/src/app/bin/savepoint.ts': SERVICE,
    'server/migrations/0001_a.sql': '',
  });
  const { child, output } = runScript(root, 'scripts/dev.mjs');
  const said = (text: string) => expect.poll(output).toContain(text);
  try {
    await said('Press Ctrl-C to stop.');
    expect(output()).toContain('Savepoint is ready (development, version one).');
    // With hot reload.
    expect(output()).toContain('http://127.0.0.1:5199/console/sign-in#token=abc');

    await writeIn(root, 'server/src/version.ts', version(''));
    await said('This failed: building the service.');
    expect(output()).toContain('version.ts:1');
    expect(output()).not.toContain('one has stopped.');

    await writeIn(root, 'server/src/version.ts', version("'two'"));
    await said('The service runs again');
    expect(output()).toContain('one has stopped.');

    await writeIn(root, 'server/src/version.ts', `${version("'three'")}throw new Error('it is late');`);
    await said('two has stopped.');
    await said('Error: it is late');
    await said('The service has ended. It starts again after the next change.');
    await writeIn(root, 'server/src/version.ts', version("'four'"));
    await expect.poll(() => output().split('The service runs again')).toHaveLength(3);
  } finally {
    child.kill('SIGINT');
    await once(child, 'exit');
    await rm(root, { recursive: true });
  }
  expect(output()).toContain('four has stopped.');
  expect(child.exitCode).toBe(0);
});
