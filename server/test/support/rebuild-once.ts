import { createRebuildPool } from '../../src/liveops/explanations/rebuild-connections.js';
import { type RebuiltFacts, rebuildFacts } from '../../src/liveops/explanations/rebuild-facts.js';
import type { RebuiltPlayer } from '../../src/liveops/explanations/rebuilt-player.js';

/** On a new connection, which is closed afterwards. */
export async function rebuildOnce(url: string, player: RebuiltPlayer, atMs: number): Promise<RebuiltFacts> {
  const pool = createRebuildPool(url);
  return rebuildFacts(pool, player, atMs).finally(() => pool.end());
}
