import {
  type Receipt,
  Savepoint,
  type SavepointError,
  type SavepointOptions,
  type SavepointStorage,
} from '@savepoint/client';
import type { Command, CreateOptions, Hello, Message, NumberedCommand } from '../src/protocol.js';

type Options = {
  name: string;
  openStorage(folder: string): SavepointStorage;
  send(message: Message): void;
};

type Performed = Exclude<Command, { do: 'reset' }>;

/** The TypeScript client under test: does what the runner says. The platform gives the storage and the way back. */
export function createDriver({ name, openStorage, send }: Options): (command: NumberedCommand) => void {
  let client: Savepoint | undefined;
  let aheadSeconds = 0;
  /** Counts the clients that were forgotten. What is left of them sends nothing and says nothing. */
  let life = 0;

  const create = ({ baseUrl, signUrl, storage, clockAheadSeconds = 0, ...rest }: CreateOptions) => {
    aheadSeconds = clockAheadSeconds;
    const mine = life;
    const say = (message: Message) => mine === life && send(message);
    client = new Savepoint({
      ...(rest as Partial<SavepointOptions>),
      baseUrl,
      sign: signUrl,
      storage: openStorage(storage),
      now: () => Date.now() + aheadSeconds * 1_000,
      fetch: (input, init) => (mine === life ? fetch(input, init) : new Promise(() => {})),
      onRejected: ({ eventType, code }) => say({ told: 'rejected', eventType, code }),
      onError: ({ code, message }) => say({ told: 'error', code, message }),
    });
  };

  const perform = async (command: Performed): Promise<unknown> => {
    if (command.do === 'hello') return { client: name, can: ['clock', 'account', 'reset'] } satisfies Hello;
    if (command.do === 'clock') {
      aheadSeconds = command.aheadSeconds;
      return undefined;
    }
    if (command.do === 'create') return create(command);
    if (client === undefined) throw new Error('The first command must be "create".');
    switch (command.do) {
      case 'track':
        return client.track(command.eventType, command.payload, command.metadata);
      case 'value':
        return client.player.value(command.key, command.defaultValue as number);
      case 'purchase': {
        const { sku, receipt, promoId } = command;
        return client.purchase({
          sku,
          receipt: receipt as Receipt,
          ...(promoId === undefined ? {} : { promoId }),
        });
      }
      case 'login':
      case 'saved':
      case 'flush':
      case 'logout':
      case 'close':
      case 'deleteAccount':
        return client[command.do]();
      default:
        return client.player[command.do]();
    }
  };

  return ({ id, ...command }) => {
    if (command.do === 'reset') {
      life++;
      client = undefined;
      return send({ id });
    }
    const mine = life;
    const reply = (result: object) => mine === life && send({ id, ...result });
    perform(command as Performed).then(
      (value) => reply(value === undefined ? {} : { value }),
      ({ code = 'unknown', message }: SavepointError) => reply({ error: { code, message } }),
    );
  };
}
