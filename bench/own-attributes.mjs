// npm run bench -- own-attributes [--rounds 3] [--seconds 8] : what own attributes cost intake. The same service takes events as fast as it
// can, in turns without own attributes and with ten; then events of 30 kB without and with fifty over the same event.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { DEFAULT_DOCUMENT } from '../server/dist/decide/document/default-document.js';
import { publishConfig } from '../server/dist/liveops/configs/publish.js';
import { createPool } from '../server/dist/platform/db/pool.js';
import { closedLoop } from './support/closed-loop.mjs';
import { runAndCleanUp } from './support/interrupt.mjs';
import { rawRequest } from './support/raw-connection.mjs';
import { loginMany, playerHeaders, startService } from './support/service.mjs';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, seconds: { type: 'string', default: '8' } },
});
const SENDERS = 200;
const CONNECTIONS = 32;
const BATCH = 20;
const LARGE = 'x'.repeat(30_000);

const own = (attributeId, fold, member, type = 'integer') => ({
  attributeId,
  description: '',
  eventType: 'Level_Complete',
  member,
  fold,
  type,
});
const TEN = [
  own('level', 'last', 'payload.level'),
  own('mode', 'last', 'payload.mode', 'string'),
  own('first_level', 'first', 'payload.level'),
  own('build', 'first', 'metadata.clientBuild', 'string'),
  own('best', 'max', 'payload.score'),
  own('worst', 'min', 'payload.score'),
  own('score', 'sum', 'payload.score'),
  own('levels', 'count', null),
  own('scored', 'count', 'payload.score'),
  own('maps', 'distinct', 'payload.stats.map'),
];
const FIFTY = Array.from({ length: 50 }, (_, n) => own(`a${n}`, 'last', `payload.m${n}`));

let sent = 0;
const smallBatch = () => batch(BATCH, {});
const largeBatch = () => batch(1, { text: LARGE, ...Object.fromEntries(FIFTY.map((_, n) => [`m${n}`, n])) });

await runAndCleanUp(async () => {
  const service = await startService({ SAVEPOINT_TRAINING_DAYS: '0' });
  const database = new pg.Client({ connectionString: service.databaseUrl });
  await database.connect();
  const pool = createPool({ url: service.databaseUrl, size: 1, timeoutMs: 60_000, onError: () => {} });
  const sessions = await loginMany(service.api, SENDERS, 'sender');
  await compare('ten, small events', TEN, BATCH, smallBatch);
  await compare('fifty, events of 30 kB', FIFTY, 1, largeBatch);
  const { rows } = await database.query(
    'select max(octet_length(own_attributes::text)) as bytes from players',
  );
  console.log(`the largest state has ${rows[0].bytes} bytes`);
  await pool.end();
  await database.end();
  await service.stop();

  async function compare(name, attributes, events, bodyOf) {
    const rates = { without: [], with: [] };
    await rate(events, bodyOf);
    for (let round = 0; round < Number(values.rounds); round++) {
      await publish([]);
      rates.without.push(await rate(events, bodyOf));
      await publish(attributes);
      rates.with.push(await rate(events, bodyOf));
    }
    const [before, after] = [median(rates.without), median(rates.with)];
    console.log(
      `${name}: ${Math.round(before)} events/s without, ${Math.round(after)} with; ratio ${(after / before).toFixed(3)}`,
    );
  }

  async function publish(attributes) {
    const { rows: games } = await database.query("select id from games where slug = 'demo-game'");
    const document = { ...DEFAULT_DOCUMENT, attributes };
    const publication = { gameId: games[0].id, document, note: '' };
    await publishConfig(pool, publication, { name: 'bench', nowMs: Date.now() });
    for (;;) {
      const { rows: open } = await database.query('select from own_attribute_sets where finished_at is null');
      if (open.length === 0) return;
      await sleep(200);
    }
  }

  async function rate(events, bodyOf) {
    const requestOf = (number) =>
      rawRequest(
        'POST',
        '/v1/events',
        { ...playerHeaders(sessions[number % SENDERS]), 'content-type': 'application/json' },
        bodyOf(),
      );
    const seconds = Number(values.seconds);
    const { requests } = await closedLoop({ url: service.api, requestOf, connections: CONNECTIONS, seconds });
    return (requests * events) / seconds;
  }
});

function batch(events, more) {
  const now = Date.now();
  return JSON.stringify(
    Array.from({ length: events }, () => {
      sent += 1;
      const payload = {
        level: sent % 90,
        score: sent % 1000,
        mode: 'normal',
        stats: { map: `m${sent % 7}` },
        ...more,
      };
      return {
        eventType: 'Level_Complete',
        eventId: `own-${sent}`,
        timestamp: new Date(now - (sent % 1000)).toISOString(),
        payload,
        metadata: { clientBuild: '1.4.2', country: 'DE' },
      };
    }),
  );
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
