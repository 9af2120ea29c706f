import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../../server/src/experiments/report/report-types.js';
import { type JsonResponse, runSavepoint, type Settings } from '../support/service.js';
import { documentOf, type Phase } from './exposure-document.js';

export type ShownExperiment = Readonly<{
  experiment: Readonly<{ experimentId: string; seed: string; activation?: unknown }>;
  isRequested: boolean;
  report: Report | null;
}>;

/** The studio's side: the admin API of a node that may be killed meanwhile. */
export type Studio = Readonly<{
  /** Tries until it is published, or refused for this reason. */
  publish(phase: Phase): Promise<'published' | 'experiments_exposed'>;
  experiments(): Promise<readonly ShownExperiment[]>;
  /** False if the service has not noticed yet that the experiment runs. */
  requestSums(experimentId: string): Promise<boolean>;
}>;

type Ask = (method: string, path: string, body?: unknown) => Promise<JsonResponse>;
type Draft = { revision: number };

const RETRY_MS = 300;
const HANG_MS = 300_000;

export async function openStudio(settings: Settings, ops: () => string): Promise<Studio> {
  const arguments_ = ['admin-token', 'create', '--role', 'owner', '--tenant', 'demo-studio'];
  const { output } = await runSavepoint(arguments_, settings);
  const token = /Admin token {2}(\S+)/.exec(output)?.[1];
  if (token === undefined) throw new Error(`no token: ${output}`);
  const headers = {
    ...{ authorization: `Bearer ${token}`, 'x-tenant-id': 'demo-studio' },
    ...{ 'content-type': 'application/json', connection: 'close' },
  };
  const ask: Ask = async (method, path, body) => {
    const response = await fetch(`${ops()}/admin/v1/games/demo-game${path}`, {
      ...{ method, headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  return {
    async publish(phase) {
      for (const hangsAt = Date.now() + HANG_MS; ; await sleep(RETRY_MS)) {
        const outcome = await tryToPublish(ask, phase).catch((error: Error) => error);
        if (!(outcome instanceof Error)) return outcome;
        // What `fetch` throws without a response.
        const isTemporary = outcome instanceof TypeError || outcome instanceof Unanswered;
        if (!isTemporary || Date.now() > hangsAt) throw outcome;
      }
    },
    async experiments() {
      const response = await ask('GET', '/experiments');
      return dataOf<{ experiments: ShownExperiment[] }>(response).experiments;
    },
    async requestSums(experimentId) {
      const { status, body } = await ask('POST', `/experiments/${experimentId}/sums`);
      if (status === 202) return true;
      if (codeOf(body) === 'experiment_not_running') return false;
      throw new Error(`sums of ${experimentId}: ${status} ${JSON.stringify(body)}`);
    },
  };
}

/** A response that says nothing about the request: the service is busy, or stops. */
class Unanswered extends Error {}

async function tryToPublish(ask: Ask, phase: Phase): Promise<'published' | 'experiments_exposed'> {
  const { revision } = dataOf<Draft>(await ask('GET', '/draft'));
  const saved = dataOf<Draft>(await ask('PUT', '/draft', { revision, document: documentOf(phase) }));
  const publication = { revision: saved.revision, note: JSON.stringify(phase), confirmPriceRaises: true };
  const response = await ask('POST', '/draft/publish', publication);
  const code = codeOf(response.body);
  if (code === 'experiments_exposed') return code;
  // The response of an earlier attempt was lost.
  if (code !== 'nothing_to_publish') dataOf(response);
  return 'published';
}

function dataOf<T>({ status, body }: JsonResponse): T {
  if (status < 300) return (body as { data: T }).data;
  const sentence = `the admin API answered ${status} ${JSON.stringify(body)}`;
  if (status >= 500 || status === 429) throw new Unanswered(sentence);
  throw new Error(sentence);
}

function codeOf(body: unknown): string | undefined {
  return (body as { error?: { code?: string } }).error?.code;
}
