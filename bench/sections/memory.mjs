import { setTimeout as sleep } from 'node:timers/promises';
import { itemsNamed } from '../items.mjs';
import { workersRssMb } from '../support/processes.mjs';
import { middle } from '../support/statistics.mjs';

const LARGEST_MB = 300;
/** The last quarter against the second: in the first quarter caches fill and code is compiled. */
const LARGEST_GROWTH = 1.1;
/** One run of wrk: logins are signed for five minutes. */
const STRETCH_SECONDS = 30;
const [mixed] = itemsNamed('mixed, a real game');

/** The memory of every worker during the mixed load, which pauses only while new logins are signed. */
export const memory = {
  name: 'memory',
  parts: ['memory of a worker under full load'],
  run: (options, playgrounds) =>
    playgrounds.with(options, async (playground) => {
      await mixed.prepare(playground);
      const totalSeconds = Math.max(2, Math.round(options.minutes * 60));
      const sampleEveryMs = Math.min(5, totalSeconds / 20) * 1000;
      const samples = [];
      const done = new AbortController();
      const sampling = sampleUntil(done.signal, sampleEveryMs, () => {
        samples.push({ atMs: performance.now(), workers: workersRssMb(playground.service.pid) });
      });
      let requests = 0;
      try {
        for (let left = totalSeconds; left > 0; left -= STRETCH_SECONDS) {
          const seconds = Math.min(left, STRETCH_SECONDS);
          const run = await playground.measure(await mixed.load(playground, seconds), seconds);
          requests += run.requests;
          console.log(`${totalSeconds - left + seconds} s: ${samples.at(-1)?.workers.join(' and ')} MB`);
        }
      } finally {
        done.abort();
        await sampling;
      }
      return report(samples, totalSeconds, requests);
    }),
};

async function sampleUntil(signal, everyMs, sample) {
  while (!signal.aborted) {
    sample();
    await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
}

function report(samples, totalSeconds, requests) {
  const largest = samples.map(({ workers }) => Math.max(...workers));
  const quarter = (n) =>
    middle(largest.slice(Math.floor((largest.length * n) / 4), Math.ceil((largest.length * (n + 1)) / 4)));
  const begun = samples[0].atMs;
  return {
    memory: samples.map(({ atMs, workers }) => ({ second: Math.round((atMs - begun) / 1000), workers })),
    limits: [
      {
        name: `memory of a worker, ${(totalSeconds / 60).toFixed(1)} min of full load (${requests} requests)`,
        unit: 'MB',
        values: [Math.max(...largest)],
        limit: LARGEST_MB,
      },
      {
        name: 'memory of a worker, last quarter against the second',
        unit: '×',
        values: [quarter(3) / quarter(1)],
        limit: LARGEST_GROWTH,
      },
    ],
  };
}
