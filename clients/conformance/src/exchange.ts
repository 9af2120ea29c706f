import { isDeepStrictEqual } from 'node:util';
import type { Ability, CreateOptions } from './protocol.js';
import type { Run } from './run.js';
import type { ScriptedServer } from './scripted-server.js';

/** One situation that every client has to deal with. */
export type Exchange = {
  /** In kebab-case; `--only` takes it. */
  name: string;
  /** What the client has to do, as a sentence. */
  rule: string;
  /** What goes wrong in real games when a client breaks the rule. */
  why: string;
  /** What the driver must be able to do; the exchange is skipped where it cannot. */
  needs?: Ability;
  /** Scripts the service, tells the client what to do, and checks the outcome. */
  play(stage: Stage): Promise<void>;
};

export type StartOptions = Partial<Omit<CreateOptions, 'baseUrl' | 'signUrl' | 'storage'>>;

export type Device = {
  start(options?: StartOptions): Promise<Run>;
  /** The same storage on another device. Kill the runs of this one first. */
  copy(): Promise<Device>;
};

export type Stage = {
  server: ScriptedServer;
  newDevice(): Promise<Device>;
  /** Starts a client on a new device. */
  start(options?: StartOptions): Promise<Run>;
  /** Settles when `isTrue` returns true. `what` completes the sentence "still waiting until …". */
  until(what: string, isTrue: () => boolean): Promise<void>;
};

/** What a client did wrong. */
export class Breach extends Error {}

export function check(isTrue: boolean, message: string): void {
  if (!isTrue) throw new Breach(message);
}

export function checkEqual(actual: unknown, expected: unknown, what: string): void {
  check(isDeepStrictEqual(actual, expected), `${what}: expected ${show(expected)}, got ${show(actual)}`);
}

/** The code with which a command fails. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'no error';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
