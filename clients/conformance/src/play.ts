import type { ClientHost, HostedDevice } from './client-host.js';
import { Breach, type Device, type Exchange, type Stage } from './exchange.js';
import { type Run, startRun } from './run.js';
import { startScriptedServer } from './scripted-server.js';

export type Outcome =
  | { result: 'passed' }
  | { result: 'skipped'; reason: string }
  /** `requests` is what arrived, to help find the cause. */
  | { result: 'failed'; reason: string; requests: string[] };

/** Batches are sent when they are full or the client is told to, unless an exchange says otherwise. */
const DEFAULTS = { deviceId: 'phone', batch: { events: 50, bytes: 60_000, seconds: 1_000 } };

class Skip extends Error {}

/** Plays one exchange with the client. `patienceMs` bounds it as a whole: a client that hangs must not hang the suite. */
export async function play(exchange: Exchange, host: ClientHost, patienceMs: number): Promise<Outcome> {
  const server = await startScriptedServer();
  const pending = new Set<{ what: string; isTrue: () => boolean; resolve: () => void }>();
  const onChange = () => {
    for (const wait of pending) {
      if (!wait.isTrue()) continue;
      pending.delete(wait);
      wait.resolve();
    }
  };
  server.onChange = onChange;

  const runs: Run[] = [];
  const wrap = (hosted: HostedDevice): Device => ({
    async start(options) {
      const run = await startRun(
        hosted,
        { ...DEFAULTS, ...options, baseUrl: server.url, signUrl: server.signUrl },
        onChange,
      );
      runs.push(run);
      if (exchange.needs !== undefined && !run.hello.can.includes(exchange.needs)) {
        throw new Skip(`the driver cannot do "${exchange.needs}"`);
      }
      return run;
    },
    copy: async () => wrap(await hosted.copy()),
  });
  const newDevice = async () => wrap(await host.newDevice());
  const stage: Stage = {
    server,
    newDevice,
    start: async (options) => (await newDevice()).start(options),
    until: (what, isTrue) =>
      new Promise((resolve) => {
        if (isTrue()) resolve();
        else pending.add({ what, isTrue, resolve });
      }),
  };

  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const whats = [...pending].map(({ what }) => what).join(', and until ');
      const waiting = whats === '' ? 'for the driver to reply' : `until ${whats}`;
      reject(new Breach(`still waiting ${waiting}, after ${patienceMs / 1_000} s`));
    }, patienceMs);
  });
  const playToTheEnd = async () => {
    await exchange.play(stage);
    for (const run of runs) await run.release();
  };
  try {
    await Promise.race([playToTheEnd(), patience]);
    return { result: 'passed' };
  } catch (error) {
    if (error instanceof Skip) return { result: 'skipped', reason: error.message };
    const reason = error instanceof Error ? error.message : String(error);
    return { result: 'failed', reason, requests: server.requests.map(describeRequest) };
  } finally {
    clearTimeout(timer);
    await host.close();
    await server.close();
  }
}

function describeRequest({ method, path, body }: { method: string; path: string; body: unknown }): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  return `${method} ${path} ${text.length > 300 ? `${text.slice(0, 300)}…` : text}`.trimEnd();
}
