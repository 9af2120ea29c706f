import type { Pool } from '../../db/pool.js';
import type { MasterKeys } from '../../lib/master-keys.js';
import { publishConfig } from '../config/config-queries.js';
import type { GameDocument } from '../config/game-config.js';
import { insertApiKey } from './api-keys.js';
import { findGame, insertGame, insertTenant } from './tenants.js';

/** The development key pair; refused outside of the development environment. */
export const DEMO = Object.freeze({
  tenant: 'demo-studio',
  game: 'demo-game',
  keyId: 'dev-key',
  secret: 'dev-secret',
});

const icon = (name: string) => ({
  assetId: `${name}-icon`,
  type: 'image/png',
  url: `https://cdn.example.com/demo-game/${name}.png`,
  tag: 'icon',
  width: 256,
  height: 256,
});

const DEMO_DOCUMENT: GameDocument = {
  flags: { isPayer: { payerForDays: null } },
  store: {
    sendFallback: true,
    skus: [
      {
        skuId: 'gems_80',
        name: 'Handful of Gems',
        description: '80 gems to get you started.',
        actualPrice: '0.99',
        offerPrice: '0.99',
        currency: 'USD',
        assets: [icon('gems-80')],
        active: true,
      },
      {
        skuId: 'starter_pack',
        name: 'Starter Pack',
        description: '500 gems, 3 rare heroes and a week without ads.',
        actualPrice: '9.99',
        offerPrice: '4.99',
        currency: 'USD',
        assets: [icon('starter-pack')],
        active: true,
      },
      {
        skuId: 'gems_1200',
        name: 'Chest of Gems',
        description: '1,200 gems, 20% more for your money.',
        actualPrice: '11.99',
        offerPrice: '10.00',
        currency: 'USD',
        assets: [icon('gems-1200')],
        active: true,
      },
      {
        skuId: 'season_pass',
        name: 'Season Pass',
        description: 'Daily rewards and exclusive quests for the whole season.',
        actualPrice: '14.99',
        offerPrice: '14.99',
        currency: 'USD',
        assets: [],
        active: true,
      },
      {
        skuId: 'winter_bundle',
        name: 'Winter Bundle',
        description: 'Last season. Kept for players who already own it.',
        actualPrice: '19.99',
        offerPrice: '19.99',
        currency: 'USD',
        assets: [],
        active: false,
      },
    ],
  },
};

/** Development only: a studio to try everything with. Does nothing when it is there already. */
export async function seedDemoStudio(pool: Pool, masterKeys: MasterKeys, nowMs: number): Promise<void> {
  await insertTenant(pool, DEMO.tenant, 'Demo Studio');
  await insertGame(pool, DEMO.tenant, DEMO.game, 'Demo Game');
  const game = await findGame(pool, DEMO.tenant, DEMO.game);
  if (game?.publishedVersion === 0) {
    const note = 'Demo catalogue';
    await publishConfig(pool, { gameId: game.id, document: DEMO_DOCUMENT, author: 'savepoint', note }, nowMs);
  }
  await insertApiKey(
    pool,
    masterKeys,
    { keyId: DEMO.keyId, secret: DEMO.secret },
    { tenant: DEMO.tenant, game: DEMO.game, environment: 'development', label: 'development key pair' },
  );
}
