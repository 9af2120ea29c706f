/** @module-tag full */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createProcessHosts } from '../../conformance/src/process-host.js';
import { playEveryExchange } from '../../conformance/test/support/exchanges.js';
import { playRealService } from '../../conformance/test/support/real-service.js';
import { DRIVER, HAS_GODOT, NEEDS_GODOT, PROJECT, runScript } from './support/godot.js';

describe.skipIf(!HAS_GODOT)(`the Godot client${NEEDS_GODOT}`, () => {
  const hosts = createProcessHosts(DRIVER);
  afterAll(hosts.close);
  playEveryExchange(hosts.newHost);

  it.each([
    ['storage_checks', 5, /^$/],
    ['damage_checks', 5, /^$/],
    ['client_checks', 11, /give the address of the service as base_url/],
  ])('keeps its promises that need no service: %s', async (script, count, complaint) => {
    const { lines, errors } = await inFolder((folder) => runScript(script, folder));
    expect(lines.filter((line) => !line.startsWith('ok '))).toEqual([]);
    expect(lines.length).toBe(count);
    expect(errors).toMatch(complaint);
    expect(errors).not.toContain('SCRIPT ERROR');
  });

  playRealService(DRIVER, 'godot-phone', (service) => {
    it('the example shows its store, and its levels are in PostgreSQL', async () => {
      const { baseUrl, signUrl, storedEvents } = service();
      const { lines, errors } = await inFolder((folder) =>
        runScript('play_example', baseUrl, signUrl, folder, 'godot-example'),
      );
      expect(lines).toEqual([
        'Level 2 completed',
        expect.stringMatching(/: \d+\.\d\d [A-Z]{3}$/),
        ...lines.slice(2),
      ]);
      expect(errors).toBe('');
      expect((await storedEvents('godot-example')).map(({ seq }) => seq)).toEqual([1, 2]);
    });
  });
});

it('every public member of the Godot client is documented with an example', async () => {
  const undocumented: string[] = [];
  let count = 0;
  for (const file of ['savepoint.gd', 'options.gd', 'result.gd']) {
    const lines = (await readFile(`${PROJECT}addons/savepoint/${file}`, 'utf8')).split('\n');
    for (const [index, line] of lines.entries()) {
      const name = /^(?:@export )?(?:signal|var|func) ([a-z]\w*)/.exec(line)?.[1];
      if (name === undefined) continue;
      count++;
      let start = index;
      while (lines[start - 1]?.startsWith('##')) start--;
      if (!lines.slice(start, index).join('\n').includes('[codeblock]')) undocumented.push(`${file} ${name}`);
    }
  }
  expect(undocumented).toEqual([]);
  expect(count).toBeGreaterThan(30);
});

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'savepoint-godot-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
