// npm run bench -- publication [--publications 4] [--seconds 12] [--rate 200] [--rounds 3] [--changed 1000] [--savepoint FILE] : what large
// publications of one studio cost the players of another. Both studios are on one service. The first saves and publishes documents of 200
// segments and 1,000 SKUs, and its players read their stores; the players of the second log in and read status and store at a fixed rate,
// before and meanwhile. `--changed` is how many SKUs and segments differ from the document before, at most: by default all of them.
// `--savepoint` is the command of another checkout, to compare with.
import { parseArgs } from 'node:util';
import { loginRequest } from './support/auth-requests.mjs';
import { createGame, savepoint } from './support/command.mjs';
import { runAndCleanUp } from './support/interrupt.mjs';
import { openLoop, readRequests } from './support/open-loop.mjs';
import { startPublisher } from './support/publisher.mjs';
import { loginMany, startService } from './support/service.mjs';
import { middle } from './support/statistics.mjs';

const { values } = parseArgs({
  options: {
    publications: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '12' },
    rate: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '3' },
    changed: { type: 'string', default: '1000' },
    savepoint: { type: 'string' },
  },
});
const PUBLICATIONS = Number(values.publications);
const SECONDS = Number(values.seconds);
const NEIGHBOURS = 100;

await runAndCleanUp(async () => {
  const service = await startService({}, values.savepoint);
  const publisher = await startPublisher(service, Number(values.changed));
  const requests = await neighbourRequests(service);
  const load = () =>
    openLoop({ url: service.api, requests, perSecond: Number(values.rate), seconds: SECONDS });
  // The first publication follows the default document; each of the others follows one of its own size.
  console.log(timesOf(await publisher.publish(0)));
  await load();
  const ratios = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const before = await load();
    const [during, times] = await Promise.all([load(), publishAll(publisher, 1 + round * PUBLICATIONS)]);
    const ratio = during.p99Ms / before.p99Ms;
    ratios.push(ratio);
    console.log(`before ${latencies(before)}; during ${latencies(during)}; p99 × ${ratio.toFixed(2)}`);
    for (const line of times) console.log(`  ${line}`);
  }
  await publisher.stop();
  console.log(`${PUBLICATIONS} publications in ${SECONDS} s: p99 × ${middle(ratios).toFixed(2)} (median)`);
});

/** Reads and logins of the second studio, mixed. */
async function neighbourRequests(service) {
  await savepoint(service, 'tenant', 'create', 'neighbour');
  const key = await createGame(service, 'neighbour-game', 'neighbour');
  const sessions = await loginMany(service.api, NEIGHBOURS, 'neighbour', key);
  const status = readRequests('/v1/player/status', sessions);
  const store = readRequests('/v1/player/store_configs', sessions);
  return sessions.flatMap((_, n) => [status[n], store[n], loginRequest(`neighbour-${n}`, key)]);
}

/** Spread over the seconds of a load. */
async function publishAll(publisher, first) {
  const begun = performance.now();
  const times = [];
  for (let n = 0; n < PUBLICATIONS; n++) {
    const dueAt = begun + ((n + 0.5) * SECONDS * 1000) / PUBLICATIONS;
    await new Promise((resolve) => setTimeout(resolve, dueAt - performance.now()));
    times.push(timesOf(await publisher.publish(first + n)));
  }
  return times;
}

function latencies({ p50Ms, p99Ms }) {
  return `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
}

function timesOf({ bytes, savedMs, publishedMs, readMs }) {
  const [saved, published, read] = [savedMs, publishedMs, readMs].map(Math.round);
  return `${Math.round(bytes / 1000)} kB saved in ${saved} ms, published in ${published} ms, read in ${read} ms`;
}
