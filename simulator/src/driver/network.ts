import type { NetworkKind } from '../model/life.js';
import { plainResponse } from './plain-response.js';

/** The responses of the service, before the simulated network changes anything. */
export type ResponseCounts = {
  requests: number;
  accepted: number;
  duplicates: number;
  lostResponses: number;
};

/** The network of one player: it loses requests and responses as the session says. */
export type PlayerNetwork = {
  readonly fetch: typeof fetch;
  /** Begins a session. A flaky one loses one response. */
  set(kind: NetworkKind): void;
  /** Events that the service has acknowledged, each once. */
  readonly delivered: number;
  /** Events that were acknowledged and not delivered. */
  readonly swallowed: number;
};

type Options = {
  /** The prefix of the names of installations: the same in a simulation that goes on after a crash. */
  installPrefix: string;
  responseCounts: ResponseCounts;
  send: typeof fetch;
};

type EventsResponse = { data?: { accepted?: number; duplicates?: number; rejected?: unknown[] } };

/**
 * Installations get names that follow from the simulation, in place of the random ones of the client. A player who is played again after
 * a crash then sends the same numbers under the same name, and nothing counts twice. The client would take those duplicates for
 * events of a copy of its storage, and start a new installation. So the network reports them to the client as accepted.
 */
export function createPlayerNetwork({ installPrefix, responseCounts, send }: Options): PlayerNetwork {
  const installs = new Map<string, string>();
  let kind: NetworkKind = 'online';
  let delivered = 0;
  let swallowed = 0;
  let isResponseLost = false;

  const nameOf = (install: string): string => {
    const name = installs.get(install) ?? `${installPrefix}-${installs.size + 1}`;
    installs.set(install, name);
    return name;
  };

  const post = async (input: Parameters<typeof fetch>[0], init: RequestInit): Promise<Response> => {
    const headers = init.headers as Record<string, string>;
    const renamed = { ...headers, 'X-Install-Id': nameOf(headers['X-Install-Id'] ?? '') };
    const response = await send(input, { ...init, headers: renamed });
    responseCounts.requests++;
    if (response.status !== 202) return response;
    const { data = {} } = JSON.parse(await response.text()) as EventsResponse;
    const { accepted = 0, duplicates = 0, rejected = [] } = data;
    responseCounts.accepted += accepted;
    responseCounts.duplicates += duplicates;
    if (isResponseLost) {
      isResponseLost = false;
      responseCounts.lostResponses++;
      throw new TypeError('simulated: the response was lost');
    }
    delivered += accepted + duplicates;
    return acknowledgement({ accepted: accepted + duplicates, duplicates: 0, rejected });
  };

  const swallow = (body: unknown): Response => {
    const { length } = JSON.parse(String(body)) as unknown[];
    swallowed += length;
    return acknowledgement({ accepted: length, duplicates: 0, rejected: [] });
  };

  return {
    fetch: async (input, init = {}) => {
      if (kind === 'offline') throw new TypeError('simulated: offline');
      if (!String(input).endsWith('/v1/events')) return send(input, init);
      return kind === 'swallowed' ? swallow(init.body) : post(input, init);
    },
    set(next) {
      kind = next;
      isResponseLost = next === 'flaky';
    },
    get delivered() {
      return delivered;
    },
    get swallowed() {
      return swallowed;
    },
  };
}

function acknowledgement(data: object): Response {
  return plainResponse(202, JSON.stringify({ data, status: 'success' }));
}
