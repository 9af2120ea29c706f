import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFolderStore } from '../../../src/insight/event-files/folder-store.js';
import { isRoot, listNotOthers, makeOthersFolder } from '../../support/owners.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'savepoint-folder-store-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it.skipIf(!isRoot)(
  'what root writes belongs to the owner of the folder: the service has to replace it',
  async () => {
    const files = await makeOthersFolder(join(folder, 'files'));
    const store = createFolderStore(files);
    const file = await store.create('studio/game/events.parquet');
    await file.write(Buffer.from('events'));
    await file.commit();
    await store.replace('studio/game/manifest.json', '{}');
    expect([...(await store.list()).keys()].sort()).toEqual([
      'studio/game/events.parquet',
      'studio/game/manifest.json',
    ]);
    expect(await listNotOthers(files)).toEqual([]);
  },
);
