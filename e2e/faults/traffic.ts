import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type Batch, eventOf, type Plan } from './numbered-events.js';
import type { Random } from './random.js';
import { type BatchSender, type Cut, createBatchSender, type Outcome } from './send-batch.js';

/** The players' side: sends every batch of the plan, and the same bytes again until they are acknowledged. */
export type Traffic = {
  /** Resolves when everything is acknowledged, or when it was stopped. */
  finished: Promise<void>;
  acknowledgedEvents(): number;
  isAcknowledged(number: number): boolean;
  /** Whether it was sent at all, acknowledged or not. */
  isSent(number: number): boolean;
  /** How long ago the last acknowledgement was. */
  silentForMs(): number;
  cutConnections(): void;
  stop(): void;
  statistics(): TrafficStatistics;
};

export type TrafficStatistics = {
  requests: number;
  /** Requests that had to be repeated, by what came instead of an acknowledgement. */
  repeated: Record<string, number>;
  longestSilenceMs: number;
  /** Responses that the contract does not allow. */
  complaints: string[];
};

type Options = {
  plan: Plan;
  /** By number of the player. */
  headers: readonly Record<string, string>[];
  /** The address of the service now. */
  url: () => string;
  /** In direct mode the response says how many events are new; with a queue it does not. */
  countsDuplicates: boolean;
  connections: number;
  /** The share of requests that the client cuts off. */
  cutShare: number;
  /** Players wait at this many events until the planned faults have happened. */
  maxAcknowledged: () => number;
  random: Random;
};

const MAX_PAUSE_MS = 300;
const WAIT_MS = 20;
const MAX_COMPLAINTS = 20;
/** Within the time that a request takes, so that cuts happen in every state of a request, from unread to responded. */
const MAX_CUT_MS = 60;

export function startTraffic(options: Options): Traffic {
  const { plan, headers, url, connections, random } = options;
  const sender = createBatchSender(connections);
  const acknowledged = new Uint8Array(plan.events);
  const statistics: TrafficStatistics = { requests: 0, repeated: {}, longestSilenceMs: 0, complaints: [] };
  let acknowledgedEvents = 0;
  let sentEvents = 0;
  let lastAt = performance.now();
  let stopped = false;

  const acknowledge = ({ first, count }: Batch): void => {
    acknowledged.fill(1, first, first + count);
    acknowledgedEvents += count;
    const now = performance.now();
    statistics.longestSilenceMs = Math.max(statistics.longestSilenceMs, now - lastAt);
    lastAt = now;
  };

  const complain = (sentence: string): void => {
    if (statistics.complaints.length < MAX_COMPLAINTS) statistics.complaints.push(sentence);
  };

  const deliver = async (batch: Batch): Promise<void> => {
    const { body, encoding } = encode(plan, batch);
    const install = batch.firstSeq === null ? {} : { 'x-install-id': `install-${batch.player}` };
    const ownHeaders = {
      'content-type': 'application/json',
      ...encoding,
      ...install,
      ...headers[batch.player],
    };
    sentEvents = Math.max(sentEvents, batch.first + batch.count);
    for (let attempt = 1; !stopped; attempt++) {
      statistics.requests++;
      const outcome = await sender.send(url(), ownHeaders, body, chooseCut(random, options.cutShare));
      const checked = checkOutcome(outcome, batch, options.countsDuplicates, attempt);
      if (checked.complaint !== undefined) complain(checked.complaint);
      if (checked.repeat === undefined) return acknowledge(batch);
      statistics.repeated[checked.repeat] = (statistics.repeated[checked.repeat] ?? 0) + 1;
      await sleep(random.fraction() * MAX_PAUSE_MS);
    }
  };

  let next = 0;
  const work = async (): Promise<void> => {
    while (!stopped) {
      if (acknowledgedEvents >= options.maxAcknowledged()) {
        lastAt = performance.now();
        await sleep(WAIT_MS);
        continue;
      }
      const batch = plan.batches[next++];
      if (batch === undefined) return;
      await deliver(batch);
    }
  };

  return {
    finished: finish(sender, Array.from({ length: connections }, work)),
    acknowledgedEvents: () => acknowledgedEvents,
    isAcknowledged: (number) => acknowledged[number] === 1,
    isSent: (number) => number < sentEvents,
    silentForMs: () => performance.now() - lastAt,
    cutConnections: sender.cutAll,
    stop() {
      stopped = true;
    },
    statistics: () => statistics,
  };
}

async function finish(sender: BatchSender, senders: Promise<void>[]): Promise<void> {
  try {
    await Promise.all(senders);
  } finally {
    sender.close();
  }
}

function encode(
  plan: Plan,
  { first, count, gzip, firstSeq }: Batch,
): { body: Buffer; encoding: Record<string, string> } {
  const events = Array.from({ length: count }, (_, offset) => ({
    ...eventOf(plan, first + offset),
    ...(firstSeq === null ? {} : { seq: firstSeq + offset }),
  }));
  const json = Buffer.from(JSON.stringify(events));
  return gzip
    ? { body: gzipSync(json), encoding: { 'content-encoding': 'gzip' } }
    : { body: json, encoding: {} };
}

function chooseCut(random: Random, share: number): Cut | undefined {
  if (!random.chance(share)) return undefined;
  return random.chance(0.5)
    ? { when: 'responding' }
    : { when: 'waiting', afterMs: random.fraction() * MAX_CUT_MS };
}

type OutcomeCheck = { repeat?: string; complaint?: string };

/** By the contract: a 202 ends the batch; 429, 503 and no response mean send it again; nothing else is expected. */
function checkOutcome(
  outcome: Outcome,
  batch: Batch,
  countsDuplicates: boolean,
  attempt: number,
): OutcomeCheck {
  if (outcome.kind !== 'response') return { repeat: outcome.kind };
  const { status, body } = outcome;
  const shown = `batch ${batch.index}, attempt ${attempt}: ${status} ${JSON.stringify(body)}`;
  if (status === 429 || status === 503) return { repeat: String(status) };
  if (status !== 202)
    return { repeat: String(status), complaint: `not a response of the contract: ${shown}` };
  const { accepted = 0, duplicates = 0, rejected = [] } = (body as { data?: Counts }).data ?? {};
  if (accepted + duplicates !== batch.count || rejected.length > 0) {
    return { complaint: `the counts do not add up to ${batch.count}: ${shown}` };
  }
  if (countsDuplicates && attempt === 1 && duplicates > 0) {
    return { complaint: `never sent before, and yet known: ${shown}` };
  }
  return {};
}

type Counts = { accepted?: number; duplicates?: number; rejected?: unknown[] };
