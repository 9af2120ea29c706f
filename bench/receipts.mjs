// npm run bench -- receipts [--seconds 7] [--rate 100] [--flood 100] [--rounds 3] [--hostile 50] [--limits on] : what a flood of bad receipts
// costs honest players. Honest players read their status and send events at a fixed rate, before and during the flood. The receipts of
// the flood are of the right app, with the right certificates and a wrong signature: no cheaper check refuses them. Limits are those of an
// installation by default, and with `--limits off` each receipt costs a signature.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createAppleSigner } from '../server/dist/trust/fake-store/store-signers.js';
import { savepoint } from './support/command.mjs';
import { eventsJson } from './support/event-bodies.mjs';
import { runAndCleanUp, undoing } from './support/interrupt.mjs';
import { openLoop, readRequests } from './support/open-loop.mjs';
import { openRawConnection, rawRequest } from './support/raw-connection.mjs';
import { loginMany, playerHeaders, startService } from './support/service.mjs';
import { middle } from './support/statistics.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '7' },
    rate: { type: 'string', default: '100' },
    flood: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '3' },
    hostile: { type: 'string', default: '50' },
    limits: { type: 'string', default: 'on' },
  },
});
const SECONDS = Number(values.seconds);
const HONEST = 50;
const HOSTILE = Number(values.hostile);
const APP = 'com.example.game';

await runAndCleanUp(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'savepoint-receipts-'));
  undoing(() => rm(folder, { recursive: true, force: true }));
  const apple = createAppleSigner(Date.now());
  const rootFile = join(folder, 'root.pem');
  await writeFile(rootFile, apple.rootPem);
  const service = await startService({
    SAVEPOINT_APPLE_ROOT_FILE: rootFile,
    SAVEPOINT_RATE_LIMITS: values.limits,
  });
  const apps = { apple: { bundleIds: [APP] }, google: null };
  const stores = { ...apps, counts: 'verified', maxPrices: {}, testers: [] };
  const file = join(folder, 'stores.json');
  await writeFile(file, JSON.stringify(stores));
  const demo = ['--tenant', 'demo-studio', '--game', 'demo-game'];
  await savepoint(service, 'store', 'set', ...demo, '--file', file);
  const honest = await loginMany(service.api, HONEST, 'honest');
  const hostile = await loginMany(service.api, HOSTILE, 'hostile');
  let run = 0;
  const load = () => {
    run++;
    const requests = honestRequests(honest, run, Number(values.rate) * SECONDS);
    return openLoop({ url: service.api, requests, perSecond: Number(values.rate), seconds: SECONDS });
  };
  await load();
  const ratios = { ordinary: [], bad: [] };
  for (let round = 0; round < Number(values.rounds); round++) {
    const before = await load();
    for (const [kind, requests] of [
      ['ordinary', ordinaryRequests(hostile, run)],
      ['bad', badRequests(hostile, apple)],
    ]) {
      const flood = await startFlood(service.api, requests);
      const during = await load();
      const byStatus = flood.stop();
      const ratio = during.p99Ms / before.p99Ms;
      ratios[kind].push(ratio);
      console.log(
        `before ${latencies(before)}; beside ${kind} batches ${latencies(during)}, ${JSON.stringify(byStatus)}; p99 × ${ratio.toFixed(2)}`,
      );
    }
  }
  const [ordinary, bad] = [ratios.ordinary, ratios.bad].map((all) => middle(all).toFixed(2));
  console.log(
    `${values.flood} a second of ${HOSTILE} players, limits ${values.limits}: p99 × ${bad} beside bad receipts, × ${ordinary} beside as many batches with an event that counts (medians)`,
  );
});

/** Reads and batches of ten events, in turn. */
function honestRequests(sessions, run, count) {
  const reads = readRequests('/v1/player/status', sessions);
  return Array.from({ length: count }, (_, n) => {
    const place = n % sessions.length;
    if (n % 2 === 0) return reads[place];
    const headers = { ...playerHeaders(sessions[place]), 'content-type': 'application/json' };
    return rawRequest('POST', '/v1/events', headers, eventsJson(`honest-${run}`, n, 10));
  });
}

/** One event each, which costs no signature. */
function ordinaryRequests(sessions, run) {
  return Array.from({ length: Number(values.flood) * SECONDS }, (_, n) => {
    const headers = { ...playerHeaders(sessions[n % sessions.length]), 'content-type': 'application/json' };
    return rawRequest('POST', '/v1/events', headers, eventsJson(`ordinary-${run}`, n, 1));
  });
}

/** One purchase each. The signature is that of another text. */
function badRequests(sessions, apple) {
  return sessions.map((session, n) => {
    const transaction = {
      transactionId: `forged-${n}`,
      bundleId: APP,
      productId: 'gems_80',
      signedDate: Date.now(),
    };
    const [header, , signature] = apple.sign(transaction).split('.');
    const forged = Buffer.from(JSON.stringify({ ...transaction, price: 1 })).toString('base64url');
    const receipt = { store: 'apple', signedTransaction: `${header}.${forged}.${signature}` };
    const event = { eventType: 'Purchase', timestamp: new Date().toISOString(), payload: { receipt } };
    const headers = { ...playerHeaders(session), 'content-type': 'application/json' };
    return rawRequest('POST', '/v1/events', headers, JSON.stringify([event]));
  });
}

/** Sends at a fixed rate until it is stopped, and says how many were answered with which status. */
async function startFlood(url, requests) {
  const { hostname, port } = new URL(url);
  const free = await Promise.all(Array.from({ length: 32 }, () => openRawConnection(hostname, Number(port))));
  const connections = [...free];
  let sent = 0;
  const byStatus = {};
  const begun = performance.now();
  const timer = setInterval(() => {
    const due = ((performance.now() - begun) / 1000) * Number(values.flood);
    while (sent < due && free.length > 0) {
      const connection = free.shift();
      connection.send(requests[sent++ % requests.length], (status) => {
        byStatus[status] = (byStatus[status] ?? 0) + 1;
        free.push(connection);
      });
    }
  }, 5);
  return {
    stop() {
      clearInterval(timer);
      for (const connection of connections) connection.close();
      return byStatus;
    },
  };
}

function latencies({ p50Ms, p99Ms }) {
  return `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
}
