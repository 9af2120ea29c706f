import type { NatsSettings, Settings } from '../../platform/settings/settings.js';
import type { DoctorFinding } from '../../studio/cli/doctor-finding.js';
import { connectToNats, type QueueSession } from '../queue/connection.js';
import { isSafeVersion, listServerVersions, OLDEST_SAFE_VERSION } from '../queue/server-version.js';
import { findStream, isPassing } from '../queue/stream.js';

const SYNC_ADVICE =
  'Set `sync_interval: always` in the jetstream block of every server (NATS 2.10 or newer), or run three replicas on machines that do not lose power together.';
const ASK_TIMEOUT_MS = 1_000;
/** The address of nats-server's HTTP monitoring, if it is switched on. */
const MONITORING_PORT = 8222;

/** Checks whether NATS is set up as an event queue needs it: what can be lost with it, and what to do about it. */
export async function examineQueue(
  nats: NatsSettings,
  environment: Settings['environment'],
): Promise<DoctorFinding[]> {
  let session: QueueSession;
  try {
    session = await connectToNats(nats, 'savepoint doctor');
  } catch (error) {
    return [{ name: 'NATS of NATS_URL', problem: 'no connection', advice: (error as Error).message }];
  }
  try {
    const versions = await checkVersions(nats, environment);
    const first = [...versions, checkAccess(session, environment)];
    const jetStream = await checkJetStream(session);
    if (jetStream.problem !== undefined) return [...first, jetStream];
    return [...first, jetStream, await checkStream(session, nats), await checkSync(session, nats)];
  } finally {
    await session.nc.close();
  }
}

async function checkVersions(
  nats: NatsSettings,
  environment: Settings['environment'],
): Promise<DoctorFinding[]> {
  const versions = await listServerVersions(nats);
  return versions.map((found) => {
    const name = `NATS at ${found.server}, version ${found.version}`;
    if (isSafeVersion(found.version)) return { name };
    const what = `versions before ${OLDEST_SAFE_VERSION} can lose events that were acknowledged`;
    const advice = `Upgrade to ${OLDEST_SAFE_VERSION} or newer, and set \`sync_interval: always\` in its jetstream block.`;
    return environment === 'production' ? { name, problem: what, advice } : { name, warning: what, advice };
  });
}

/** Queued events lie there in clear, and what is put into the stream is applied without a token. */
function checkAccess({ nc }: QueueSession, environment: Settings['environment']): DoctorFinding {
  const isOpen = nc.info?.auth_required !== true && nc.info?.tls_verify !== true;
  if (!isOpen || environment === 'development') return { name: 'NATS: who may connect' };
  return {
    name: 'NATS: who may connect',
    warning: 'everybody who reaches its port can read the events of all players, and add some',
    advice:
      'Let it ask for a password, as deploy/nats/nats.conf does, and write NATS_URL=nats://user:password@host:4222; or set SAVEPOINT_NATS_CREDS.',
  };
}

async function checkJetStream({ jsm }: QueueSession): Promise<DoctorFinding> {
  const name = 'JetStream';
  try {
    await jsm.getAccountInfo();
    return { name };
  } catch (error) {
    return {
      name,
      problem: `it does not respond (${(error as Error).message})`,
      advice: isPassing(error)
        ? 'Check that a majority of its servers is running: they have not elected a leader.'
        : 'Start nats-server with -js, or put a jetstream block into its configuration.',
    };
  }
}

async function checkStream({ jsm }: QueueSession, nats: NatsSettings): Promise<DoctorFinding> {
  const stream = await findStream(jsm, nats.stream);
  const replicas = stream?.config.num_replicas ?? nats.replicas;
  const partitions = stream?.config.subjects.length ?? nats.partitions;
  const state = stream === undefined ? 'made at the first start' : `${stream.state.messages} messages`;
  const name = `stream ${nats.stream}: partitions ${partitions}, replicas ${replicas}, ${state}`;
  if (partitions !== nats.partitions) {
    return {
      name,
      problem: `SAVEPOINT_NATS_PARTITIONS is ${nats.partitions}, and the number is fixed once the stream exists`,
      advice: `Set it to ${partitions}, or start a new stream with SAVEPOINT_NATS_STREAM.`,
    };
  }
  if (replicas > 1) return { name };
  return {
    name,
    warning: 'with one replica, a lost disk loses every event that is not applied yet',
    advice: 'Run a cluster of three NATS servers and set SAVEPOINT_NATS_REPLICAS=3.',
  };
}

async function checkSync(session: QueueSession, nats: NatsSettings): Promise<DoctorFinding> {
  const name = 'JetStream: writing through to the disk';
  const settings = (await askSystemAccount(session)) ?? (await askMonitoring(nats));
  if (settings === undefined) {
    return {
      name,
      warning: 'the sync interval cannot be seen from here, and by default it is two minutes',
      advice: `A power cut loses what was acknowledged since the last sync. ${SYNC_ADVICE}`,
    };
  }
  if (settings.sync_always === true) return { name: `${name}: always` };
  const seconds = (settings.sync_interval ?? 120_000_000_000) / 1e9;
  return {
    name,
    warning: `only every ${seconds} s: a power cut loses what was acknowledged since`,
    advice: SYNC_ADVICE,
  };
}

type JetStreamSettings = { sync_always?: boolean; sync_interval?: number };

/** NATS returns this to users of the system account only. */
async function askSystemAccount({ nc }: QueueSession): Promise<JetStreamSettings | undefined> {
  try {
    const request = JSON.stringify({ config: true });
    const reply = await nc.request('$SYS.REQ.SERVER.PING.JSZ', request, { timeout: ASK_TIMEOUT_MS });
    return reply.json<{ data?: { config?: JetStreamSettings } }>().data?.config;
  } catch {
    return undefined;
  }
}

async function askMonitoring(nats: NatsSettings): Promise<JetStreamSettings | undefined> {
  const [server = ''] = nats.servers;
  const { hostname } = new URL(server.includes('://') ? server : `nats://${server}`);
  try {
    const response = await fetch(`http://${hostname}:${MONITORING_PORT}/jsz?config=true`, {
      signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
    });
    return ((await response.json()) as { config?: JetStreamSettings }).config;
  } catch {
    return undefined;
  }
}
