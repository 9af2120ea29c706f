// A studio that publishes large documents, in a thread of its own: reading and writing them would delay the requests that are measured.
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { createAdmin } from './command.mjs';
import { makeDocument } from './config-document.mjs';
import { loginMany, playerHeaders } from './service.mjs';

const DRAFT = '/admin/v1/games/demo-game/draft';
const STORE = '/v1/player/store_configs';
/** Enough for every worker to get one of them. */
const PLAYERS = 8;

/** Calls of `publish` give the milliseconds for saving, publishing and reading. */
export async function startPublisher({ api, ops, dataDir }, changed) {
  const thread = new Worker(new URL(import.meta.url), { workerData: { api, ops, dataDir, changed } });
  const hear = async () => (await once(thread, 'message'))[0];
  await hear();
  return {
    publish(revision) {
      thread.postMessage(revision);
      return hear();
    },
    stop: () => thread.terminate(),
  };
}

/** 200 segments, 1,000 SKUs, about 575 kB. Texts, rules and prices of the first entries differ from the revision before, by default of all. */
function documentOf(latest) {
  const revisionOf = (n) => (n < workerData.changed ? latest : 0);
  const document = makeDocument({ segments: 200, offers: 100, skus: 1000 });
  for (const [n, sku] of document.catalogue.entries()) {
    const revision = revisionOf(n);
    sku.description.default = `Everything for level ${n} (${revision}).`;
    const offerPrice = `${1 + (n % 20)}.${50 + ((n + revision) % 40)}`;
    for (const price of Object.values(sku.prices)) Object.assign(price, { actualPrice: '99.99', offerPrice });
  }
  for (const [n, segment] of document.segments.entries()) {
    segment.rule = `(${segment.rule}) && eventCount.total >= ${revisionOf(n)} && country in [${countries(n)}]`;
  }
  document.store.largestDiscountPercent = '100';
  return document;
}

/** 50 of all texts of two letters. */
function countries(n) {
  const letter = (index) => String.fromCharCode(65 + (index % 26));
  const codes = Array.from({ length: 50 }, (_, k) => `${letter(Math.floor((n + k) / 26))}${letter(n + k)}`);
  return codes.map((code) => `"${code}"`).join(', ');
}

/** Saves, publishes, and waits until the studio's own players have their new stores. */
async function publish(admin, players, revision) {
  const begun = performance.now();
  const draft = check(await admin(DRAFT));
  const document = documentOf(revision);
  const saved = check(await admin(DRAFT, { revision: draft.revision, document }, 'PUT'));
  const savedAt = performance.now();
  const publication = { revision: saved.revision, note: 'bench' };
  const first = await admin(`${DRAFT}/publish`, publication);
  // Prices rise inside of running offers, which an editor has to confirm.
  if (first.status !== 201) {
    check(await admin(`${DRAFT}/publish`, { ...publication, confirmPriceRaises: true }));
  }
  const publishedAt = performance.now();
  await Promise.all(players.map(readStore));
  return {
    bytes: JSON.stringify(document).length,
    savedMs: savedAt - begun,
    publishedMs: publishedAt - savedAt,
    readMs: performance.now() - publishedAt,
  };
}

function check({ status, body }) {
  if (status > 299) throw new Error(`${status} ${JSON.stringify(body).slice(0, 500)}`);
  return body.data;
}

async function readStore(session) {
  const response = await fetch(workerData.api + STORE, { headers: playerHeaders(session) });
  if (response.status !== 200) throw new Error(`store: ${response.status}`);
  await response.arrayBuffer();
}

if (!isMainThread) {
  const admin = await createAdmin(workerData);
  const players = await loginMany(workerData.api, PLAYERS, 'publisher');
  parentPort.on('message', async (revision) =>
    parentPort.postMessage(await publish(admin, players, revision)),
  );
  parentPort.postMessage('ready');
}
