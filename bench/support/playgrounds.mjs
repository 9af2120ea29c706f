import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { undoing } from './interrupt.mjs';
import { createPlayground } from './playground.mjs';

/** Runs a function with a temporary folder, which is deleted afterwards. */
export async function withFolder(work) {
  const { folder, remove } = await createFolder();
  try {
    return await work(folder);
  } finally {
    await remove();
  }
}

/**
 * Runs functions with a service, which is stopped and deleted afterwards. A service that several sections share is kept until
 * the end. A quick run `keeps` the first service for all sections that need an equal one: starting services would take longer
 * than measuring.
 */
export function createPlaygrounds(keeps) {
  const kept = new Map();

  const open = async (options) => {
    const { folder, remove } = await createFolder();
    const playground = await createPlayground({ ...options, folder });
    const close = undoing(async () => {
      await playground.close();
      await remove();
    });
    return { playground, close };
  };

  return {
    async with({ workers, players, settings, shared, isFresh = false }, work) {
      const isKept = shared !== undefined || keeps;
      if (isKept && settings === undefined && !isFresh) {
        const key = keeps ? workers : shared;
        if (!kept.has(key)) kept.set(key, await open({ workers, players }));
        return work(kept.get(key).playground);
      }
      const { playground, close } = await open({ workers, players, settings });
      try {
        return await work(playground);
      } finally {
        await close();
      }
    },
    async close() {
      for (const { close } of kept.values()) await close();
    },
  };
}

async function createFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'savepoint-bench-run-'));
  return { folder, remove: undoing(() => rm(folder, { recursive: true, force: true })) };
}
