// A process of its own, so that its CPU time and its pauses are not those of the step that is measured beside it. Told { url, sessions, perSecond }, it reads
// so often until its parent disconnects, and tells a p99 every five seconds. Not told how often, it reads as fast as it is served for ten seconds, then half as often, and tells that, too.
import { closedLoop } from '../support/closed-loop.mjs';
import { openLoop, readRequests } from '../support/open-loop.mjs';

const CONNECTIONS = 4;
const FULL_SECONDS = 10;
const PART_SECONDS = 5;

// The service may be gone before it has answered.
process.once('disconnect', () => process.exit());
process.once('message', async ({ url, sessions, ...told }) => {
  const requests = readRequests('/v1/player/status', sessions);
  const perSecond = told.perSecond ?? (await halfOfWhatIsServed(url, requests));
  process.send({ perSecond });
  for (;;) {
    const { p99Ms } = await openLoop({ url, requests, perSecond, seconds: PART_SECONDS });
    process.send({ p99Ms });
  }
});

async function halfOfWhatIsServed(url, requests) {
  const requestOf = (number) => requests[number % requests.length];
  const full = await closedLoop({ url, requestOf, connections: CONNECTIONS, seconds: FULL_SECONDS });
  return Math.round(full.requests / FULL_SECONDS / 2);
}
