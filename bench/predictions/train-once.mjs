// One training in a process of its own, so that its memory can be measured alone. The first argument is JSON; prints JSON.

import { trainGame } from '../../server/dist/insight/predictions/train-game.js';
import { createPool } from '../../server/dist/platform/db/pool.js';

const { databaseUrl, gameId, nowMs, maxPlayers } = JSON.parse(process.argv[2]);
const pool = createPool({ url: databaseUrl, size: 2, timeoutMs: 30_000, onError: () => {} });
const begun = performance.now();
const outcome = await trainGame(pool, { gameId, actor: { name: 'bench', nowMs }, maxPlayers });
const seconds = (performance.now() - begun) / 1000;
await pool.end();
// In kilobytes.
const peakMb = process.resourceUsage().maxRSS / 1024;
const { user, system } = process.cpuUsage();
process.stdout.write(JSON.stringify({ ...outcome, seconds, peakMb, cpuSeconds: (user + system) / 1e6 }));
