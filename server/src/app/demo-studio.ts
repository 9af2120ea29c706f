import { serviceActor } from '../platform/admin-api/audit-log.js';
import { findGame } from '../platform/admin-api/tenants.js';
import type { Pool } from '../platform/db/pool.js';
import type { MasterKeys } from '../platform/security/master-keys.js';
import { createApiKey } from '../studio/games-and-keys/key-changes.js';
import { createGame, createTenant } from '../studio/games-and-keys/tenant-changes.js';

/** The development key pair; refused outside of the development environment. */
export const DEMO = Object.freeze({
  tenant: 'demo-studio',
  game: 'demo-game',
  keyId: 'dev-key',
  secret: 'dev-secret',
});

/** Development only: a studio to try everything with. Does nothing when it is there already. */
export async function seedDemoStudio(pool: Pool, masterKeys: MasterKeys, nowMs: number): Promise<void> {
  const actor = serviceActor(nowMs);
  const isNew = await createTenant(pool, { slug: DEMO.tenant, name: 'Demo Studio' }, actor);
  await createGame(pool, { tenant: DEMO.tenant, slug: DEMO.game, name: 'Demo Game' }, actor);
  if (isNew) {
    const { saveDemoRates } = await import('./demo-rates.js');
    await saveDemoRates(pool, DEMO.tenant, actor);
  }
  const game = await findGame(pool, DEMO.tenant, DEMO.game);
  if (game?.publishedVersion === 0) {
    // Loaded once in the life of an installation: every later start is sooner by half a second of CPU.
    const { publishConfig } = await import('../liveops/configs/publish.js');
    const { DEMO_DOCUMENT } = await import('./demo-document.js');
    const publication = { gameId: game.id, document: DEMO_DOCUMENT, note: 'Demo catalogue', basedOn: 0 };
    await publishConfig(pool, publication, actor);
  }
  await createApiKey(
    pool,
    masterKeys,
    { tenant: DEMO.tenant, game: DEMO.game, environment: 'development', label: 'development key pair' },
    actor,
    { keyId: DEMO.keyId, secret: DEMO.secret },
  );
}
