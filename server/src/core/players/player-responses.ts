import { createHash, type Hash } from 'node:crypto';
import type { DecidedArm, DecidedValue, Decision, StoreDecision } from '../../decide/decide/decision.js';
import { stampedJson, storeContentParts } from '../../decide/decide/store-json.js';
import { runSteps, type Steps } from '../../platform/lib/steps.js';

/** What a player is told, as the texts that are sent. */
export type PlayerResponses = Readonly<{
  statusJson: string;
  segmentsJson: string;
  segmentsEtag: string;
  store: RenderedStore;
  values: RenderedValues;
  experiments: RenderedExperiments;
  lastUpdatedTimestamp: number;
  /** Nothing changes before this instant, in epoch milliseconds, unless the row or the configuration does. */
  validUntil: number;
}>;

/** A store without its timestamp. Many players may have the same one: equal `key`s mean equal stores. */
export type RenderedStore = Readonly<{ key: string; json: string; digest: string }>;

/** The typed values of a player by key, as JSON. */
export type RenderedValues = Readonly<{
  /** Null where the game defines none for clients: then logins do not mention values. */
  forClients: ValuesText | null;
  /** All of them. */
  forServers: ValuesText | null;
}>;

/** The arms that the responses depend on, as JSON. `tag` ends the ETag of a response that has them; empty without any. */
export type RenderedExperiments = Readonly<{ json: string; tag: string }>;

export type ValuesText = Readonly<{ json: string; etag: string }>;

/** Many players may have the same `store`: a thousand of them then need the memory of one. */
export function renderResponses(userId: string, decision: Decision, store: RenderedStore): PlayerResponses {
  const listed = decision.segments
    .filter(({ visibleToClients }) => visibleToClients)
    .map(({ segmentId, name, version }) => ({ segmentId, name, version }));
  const segmentsJson = JSON.stringify(listed);
  return {
    statusJson: JSON.stringify(decision.flags),
    segmentsJson,
    // Weak: `asOf` differs from response to response while nothing else does.
    segmentsEtag: `W/"${digestOf(userId + segmentsJson)}"`,
    store,
    values: renderValues(userId, decision.values),
    experiments: renderExperiments(decision.arms),
    lastUpdatedTimestamp: decision.store.lastUpdatedTimestamp,
    validUntil: decision.validUntil,
  };
}

const NO_EXPERIMENTS: RenderedExperiments = { json: '[]', tag: '' };

function renderExperiments(arms: readonly DecidedArm[]): RenderedExperiments {
  if (arms.length === 0) return NO_EXPERIMENTS;
  const json = JSON.stringify(arms.map(({ experimentId, variantId }) => ({ experimentId, variantId })));
  return { json, tag: `-${digestOf(json)}` };
}

const NO_VALUES: RenderedValues = { forClients: null, forServers: null };

function renderValues(userId: string, values: readonly DecidedValue[]): RenderedValues {
  if (values.length === 0) return NO_VALUES;
  const forServers = valuesText(userId, values);
  const ofClients = values.filter(({ isForClients }) => isForClients);
  if (ofClients.length === 0) return { forClients: null, forServers };
  const forClients = ofClients.length === values.length ? forServers : valuesText(userId, ofClients);
  return { forClients, forServers };
}

function valuesText(userId: string, values: readonly DecidedValue[]): ValuesText {
  const json = `{${values.map(({ outcome }) => outcome.memberJson).join()}}`;
  // Weak, as that of segments.
  return { json, etag: `W/"${digestOf(userId + json)}"` };
}

export function renderStore(store: StoreDecision, key = ''): RenderedStore {
  return runSteps(storeSteps(store, key));
}

/** The same in steps, more of them for a larger store. */
export function* storeSteps(store: StoreDecision, key: string): Steps<RenderedStore> {
  const hash = createHash('sha256');
  let json = '';
  for (const part of storeContentParts(store)) {
    hash.update(part);
    json += part;
    yield;
  }
  return { key, json, digest: shortDigest(hash) };
}

type Stamped = Pick<PlayerResponses, 'store' | 'lastUpdatedTimestamp'>;

/** The StoreConfig as it is sent. */
export function storeText({ store, lastUpdatedTimestamp }: Stamped): string {
  return stampedJson(store.json, lastUpdatedTimestamp);
}

export function storeEtag({ store, lastUpdatedTimestamp }: Stamped): string {
  return `"${store.digest}-${lastUpdatedTimestamp.toString(36)}"`;
}

function digestOf(text: string): string {
  return shortDigest(createHash('sha256').update(text));
}

function shortDigest(hash: Hash): string {
  return hash.digest('base64url').slice(0, 22);
}
