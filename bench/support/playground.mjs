import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { publishConfig } from '../../server/dist/liveops/configs/publish.js';
import { createPool } from '../../server/dist/platform/db/pool.js';
import { createBodyFiles } from './body-files.mjs';
import { makeDocument } from './config-document.mjs';
import { createCrowd } from './crowd.mjs';
import { historyJson } from './event-bodies.mjs';
import { createFloorResponses } from './floor-responses.mjs';
import { putModelInForce } from './prediction-model.mjs';
import { cpuSplitOf, workerRssMb } from './processes.mjs';
import { loginMany, postEvents, startFloor, startService } from './service.mjs';
import { runWrk } from './wrk.mjs';

export const PLAYERS = 500;
/** A full run takes longer than an access token usually lives. */
const ACCESS_TTL_SECONDS = 86_400;
const DRAIN_MS = 120_000;
/** This long after the last stored event, no further event is on its way. */
const QUIET_MS = 200;

/** The published documents: nearly empty, or as large as that of a busy live-operations team. */
const DOCUMENTS = {
  plain: { segments: 8, offers: 0 },
  rich: { segments: 50, offers: 50 },
  /** Every rule uses a prediction. */
  predicted: { segments: 50, offers: 50, usesPredictions: true },
};

/** The service with players in it, the floors beside it, and a way to measure both. */
export async function createPlayground({ workers, players, folder, settings = {} }) {
  const service = await startService({
    SAVEPOINT_WORKERS: String(workers),
    SAVEPOINT_ACCESS_TTL_SECONDS: String(ACCESS_TTL_SECONDS),
    // The measured model is put in force directly, and no training replaces it.
    SAVEPOINT_TRAINING_DAYS: '0',
    ...settings,
  });
  const database = new pg.Client({ connectionString: service.databaseUrl });
  // An interrupted run stops PostgreSQL below it.
  database.on('error', () => {});
  await database.connect();
  const sessions = await loginMany(service.api, PLAYERS, 'known');
  await postEvents(service.api, sessions, historyJson);
  const files = createBodyFiles({ folder, api: service.api, players: PLAYERS });
  const sessionsFile = await files.sessions(sessions);
  let published;
  let modelInForce;

  const publish = async (name) => {
    if (published === name) return;
    if (DOCUMENTS[name].usesPredictions) {
      modelInForce ??= putModelInForce(service.databaseUrl);
      await modelInForce;
    }
    await publishDocument(service.databaseUrl, makeDocument(DOCUMENTS[name]), name);
    published = name;
  };
  const responsesFile = await createFloorResponses({
    api: service.api,
    session: sessions[0],
    publish,
    folder,
  });
  const floor = await startFloor('http.mjs', {
    FLOOR_WORKERS: String(workers),
    FLOOR_RESPONSES: responsesFile,
  });

  let crowd;
  const openCrowd = () => {
    console.log(`storing ${players} players`);
    return createCrowd({ database, service, players, accessTtlSeconds: ACCESS_TTL_SECONDS });
  };

  // The roll-ups count every event once, and have few rows whatever the number of players.
  const storedEvents = () => number(database, 'select coalesce(sum(events), 0)::float8 as n from game_days');
  const drained = async (least) => {
    const until = performance.now() + DRAIN_MS;
    let stored = -1;
    let changedAt = performance.now();
    while (stored < least || performance.now() - changedAt < QUIET_MS) {
      const now = await storedEvents();
      if (now !== stored) changedAt = performance.now();
      stored = now;
      if (performance.now() > until) throw new Error(`${stored} events are stored, not ${least}`);
      await sleep(50);
    }
    return { stored, changedAt };
  };

  return {
    service,
    floor,
    workers,
    sessions,
    sessionsFile,
    files,
    folder,
    database,
    databaseUrl: service.databaseUrl,
    /** Puts one of the documents in force. */
    publish,
    /** Many stored players, written when they are first needed. */
    crowd: () => {
      crowd ??= openCrowd();
      return crowd;
    },
    storedEvents,

    /**
     * A wrk run against the service, with the CPU of the service and of its database for each event, or for each request of
     * a load without events. Throws if a request failed, or an event that was accepted is not stored.
     */
    async measure(load, seconds) {
      const { path, batch = 1, eventsPerRequest = 0, leastEvents = eventsPerRequest, script, env } = load;
      const walBefore = await walPosition(database);
      const eventsBefore = await storedEvents();
      const cpuBefore = cpuSplitOf(service.pid);
      const begun = performance.now();
      const run = await runWrk({ url: service.api + path, seconds, script, env });
      if (run.failed > 0) throw new Error(`${path}: ${run.failed} of ${run.requests} requests failed`);
      const { stored, changedAt } =
        leastEvents > 0 ? await drained(eventsBefore + run.requests * leastEvents) : {};
      const cpu = cpuSplitOf(service.pid);
      load.onEnd?.(run);
      // wrk ends with requests on their way; these are stored and cost CPU, too.
      const paid = eventsPerRequest > 0 ? (stored - eventsBefore) / eventsPerRequest : run.requests;
      const units = paid * batch;
      return {
        ...run,
        perSecond: run.perSecond * batch,
        /** Time until the last event was in the database; with a queue that is after the last response. */
        appliedPerSecond: (units * 1000) / (changedAt - begun),
        serviceCpuMicros: ((cpu.serviceMs - cpuBefore.serviceMs) * 1000) / units,
        postgresCpuMicros: ((cpu.postgresMs - cpuBefore.postgresMs) * 1000) / units,
        upkeepCpuMicros: ((cpu.upkeepMs - cpuBefore.upkeepMs) * 1000) / units,
        walBytes: ((await walPosition(database)) - walBefore) / units,
        workerRssMb: workerRssMb(service.pid),
      };
    },

    async close() {
      await (await crowd)?.close();
      await database.end();
      await floor.stop();
      await service.stop();
      await service.remove();
    },
  };
}

async function publishDocument(databaseUrl, document, note) {
  const pool = createPool({ url: databaseUrl, size: 1, timeoutMs: 5000, onError: () => {} });
  try {
    const { rows } = await pool.query("select id from games where slug = 'demo-game'");
    const publication = { gameId: rows[0].id, document, note, confirmPriceRaises: true };
    const outcome = await publishConfig(pool, publication, { name: 'bench', nowMs: Date.now() });
    if (outcome.outcome !== 'published') throw new Error(`not published: ${JSON.stringify(outcome)}`);
  } finally {
    await pool.end();
  }
}

const walPosition = (database) =>
  number(database, "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as n");

async function number(database, statement) {
  const { rows } = await database.query(statement);
  return rows[0].n;
}
