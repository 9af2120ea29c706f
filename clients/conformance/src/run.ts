import type { HostedDevice } from './client-host.js';
import type { Command, CreateOptions, Hello, Message, ReadName, TypedValue } from './protocol.js';

/** One run of the game on a device, from its start to its end. */
export type Run = {
  hello: Hello;
  login(): Promise<{ userId: string }>;
  logout(): Promise<void>;
  /** Returns the id of the event. */
  track(
    eventType: string,
    payload?: Record<string, unknown>,
    metadata?: Record<string, unknown>,
  ): Promise<string>;
  /** Settles when every event tracked so far is in the storage. */
  saved(): Promise<void>;
  flush(): Promise<void>;
  read(name: ReadName): Promise<Record<string, unknown>>;
  /** The typed value of a key, or the default. */
  value(key: string, defaultValue: TypedValue): Promise<unknown>;
  /** Returns the id of the event. */
  purchase(sku: string, receipt: Record<string, unknown>, promoId?: string): Promise<string>;
  deleteAccount(): Promise<void>;
  exportPlayer(): Promise<Record<string, unknown>>;
  erasureCode(): Promise<Record<string, unknown>>;
  /** Puts the clock of the device forward. */
  setClock(aheadSeconds: number): Promise<void>;
  close(): Promise<void>;
  /** Ends the process without any warning. */
  kill(): Promise<void>;
  /** Makes the driver forget the client, where it can, so that the next exchange does not have to start one. */
  release(): Promise<void>;
  /** The events that the callback of the game got, as `type code`. */
  rejected: string[];
};

/** What a command failed with. */
export class CommandError extends Error {
  readonly code: string;

  constructor(command: string, { code, message }: { code: string; message: string }) {
    super(`${command} failed with ${code}: ${message}`);
    this.code = code;
  }
}

/** Never the same in two runs: a driver may have several of them, and replies to the last one may come late. */
let count = 0;

export async function startRun(
  device: HostedDevice,
  options: Omit<CreateOptions, 'storage'>,
  onChange: () => void,
): Promise<Run> {
  const waiting = new Map<
    number,
    { resolve(value: unknown): void; reject(error: Error): void; name: string }
  >();
  const rejected: string[] = [];
  let ending: string | undefined;

  const onMessage = (message: Message) => {
    if ('id' in message) {
      const asked = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error === undefined) asked?.resolve(message.value);
      else asked?.reject(new CommandError(asked.name, message.error));
    } else if (message.told === 'rejected') rejected.push(`${message.eventType} ${message.code}`);
    onChange();
  };
  const onEnd = (why: string) => {
    ending ??= why;
    for (const { reject } of waiting.values()) reject(new Error(ending));
    waiting.clear();
  };
  const hosted = await device.start(onMessage, onEnd);

  const ask = (command: Command): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (ending !== undefined) return reject(new Error(ending));
      const id = ++count;
      waiting.set(id, { resolve, reject, name: command.do });
      hosted.send({ ...command, id });
    });
  const simple = async (name: 'saved' | 'flush' | 'logout' | 'close' | 'deleteAccount') => {
    await ask({ do: name });
  };

  const hello = (await ask({ do: 'hello' })) as Hello;
  await ask({ do: 'create', storage: device.storage, ...options });
  return {
    hello,
    rejected,
    login: async () => (await ask({ do: 'login' })) as { userId: string },
    logout: () => simple('logout'),
    track: async (eventType, payload = {}, metadata) =>
      String(await ask({ do: 'track', eventType, payload, ...(metadata && { metadata }) })),
    saved: () => simple('saved'),
    flush: () => simple('flush'),
    read: async (name) => (await ask({ do: name })) as Record<string, unknown>,
    value: (key, defaultValue) => ask({ do: 'value', key, defaultValue }),
    purchase: async (sku, receipt, promoId) =>
      String(await ask({ do: 'purchase', sku, receipt, ...(promoId === undefined ? {} : { promoId }) })),
    deleteAccount: () => simple('deleteAccount'),
    exportPlayer: async () => (await ask({ do: 'export' })) as Record<string, unknown>,
    erasureCode: async () => (await ask({ do: 'erasureCode' })) as Record<string, unknown>,
    setClock: async (aheadSeconds) => void (await ask({ do: 'clock', aheadSeconds })),
    close: () => simple('close'),
    kill: async () => {
      onEnd('The run was killed.');
      await hosted.kill();
    },
    release: async () => {
      if (ending !== undefined || hosted.release === undefined || !hello.can.includes('reset')) return;
      await ask({ do: 'reset' });
      onEnd('The run is over.');
      hosted.release();
    },
  };
}
