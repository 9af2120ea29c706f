import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBodyFiles } from '../support/body-files.mjs';
import { createAdmin } from '../support/command.mjs';
import { undoing } from '../support/interrupt.mjs';
import { openLoop, readRequests } from '../support/open-loop.mjs';
import { ownCpuMs } from '../support/processes.mjs';
import { login } from '../support/service.mjs';
import { lua, runWrk } from '../support/wrk.mjs';
import { deviceOf } from './simulated-players.mjs';
import { watchBackend } from './training-run.mjs';

const STORE = '/v1/player/store_configs';
const READERS = 500;
const WARM_SECONDS = 2;
const POLL_MS = 20;

/**
 * Reads of the store before, during and after a training that the service itself runs, in the same run: as many as possible, and half of
 * that at a fixed rate. The share of the machine's CPU that the training takes is what reads are expected to lose.
 */
export async function measureReads(service, database, rounds, seconds) {
  const sessions = [];
  for (let index = 0; index < READERS; index++) sessions.push(await login(service.api, deviceOf(index)));
  const folder = await mkdtemp(join(tmpdir(), 'savepoint-bench-'));
  const remove = undoing(() => rm(folder, { recursive: true, force: true }));
  const file = await createBodyFiles({ folder, api: service.api, players: READERS }).sessions(sessions);
  const full = (forSeconds) =>
    runWrk({
      url: service.api + STORE,
      seconds: forSeconds,
      script: lua('reads'),
      env: { BENCH_SESSIONS: file },
    });
  const trainings = createTrainings(service, database, await createAdmin(service));
  const requests = readRequests(STORE, sessions);
  const found = [];
  await full(WARM_SECONDS);
  for (let round = 0; round < rounds; round++) {
    const closed = await threeTimes(trainings, () => full(seconds));
    const perSecond = closed[0].perSecond / 2;
    const half = () => openLoop({ url: service.api, requests, perSecond, seconds });
    found.push({ closed, open: await threeTimes(trainings, half) });
  }
  await remove();
  return found;
}

async function threeTimes(trainings, load) {
  const before = { when: 'before', ...(await load()) };
  const during = { when: 'during', ...(await trainings.beside(load)) };
  return [before, during, { when: 'after', ...(await load()) }];
}

/** Trains again and again while another load runs, so that a training runs all the time. */
function createTrainings(service, database, admin) {
  const train = async () => {
    const { status, body } = await admin('/admin/v1/games/demo-game/models', {});
    if (status >= 300) throw new Error(`training: ${status} ${JSON.stringify(body)}`);
  };
  return {
    async beside(load) {
      const backend = watchBackend(database);
      let isOver = false;
      const training = (async () => {
        while (!isOver) await train();
      })();
      // An error is thrown below.
      training.catch(() => {});
      while (backend.cpuMs() === 0) await Promise.race([sleep(POLL_MS), training]);
      const begun = performance.now();
      const spent = () => ownCpuMs(service.pid) + backend.cpuMs();
      const spentBefore = spent();
      const result = await load();
      const trainingShare = (spent() - spentBefore) / ((performance.now() - begun) * cpus().length);
      isOver = true;
      await training;
      await backend.stop();
      return { ...result, trainingShare };
    },
  };
}
