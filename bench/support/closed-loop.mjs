import { exchange, openRawConnection } from './raw-connection.mjs';
import { percentile } from './statistics.mjs';

/**
 * Sends one request after the other on each connection until the time is over or `signal` is aborted. `requestOf` makes a request
 * from its number; `onResponse` gets that number and the chunks of the response.
 */
export async function closedLoop({ url, requestOf, onResponse, connections, seconds, signal }) {
  const { hostname, port } = new URL(url);
  const until = performance.now() + seconds * 1000;
  const latencies = [];
  let next = 0;
  let failed = 0;
  const one = async () => {
    const connection = await openRawConnection(hostname, Number(port));
    while (performance.now() < until && !signal?.aborted) {
      const begun = performance.now();
      const number = next++;
      const { status, response } = await exchange(connection, requestOf(number));
      latencies.push(performance.now() - begun);
      if (status < 200 || status > 299) failed++;
      else onResponse?.(number, response);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, one));
  if (failed > 0) throw new Error(`${url}: ${failed} of ${latencies.length} requests failed`);
  latencies.sort((a, b) => a - b);
  return {
    requests: latencies.length,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}
