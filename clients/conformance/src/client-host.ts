import type { Message, NumberedCommand } from './protocol.js';

/** Where the client under test runs: as a process that speaks the protocol, or as a page of a browser. */
export type ClientHost = {
  /** A device on which the game was never started. */
  newDevice(): Promise<HostedDevice>;
  /** Ends the runs that are still alive. */
  close(): Promise<void>;
};

export type HostedDevice = {
  /** The `storage` of the command `create`. */
  storage: string;
  /** A device that has the same storage: a backup restored on a second phone. No run of this device may be alive. */
  copy(): Promise<HostedDevice>;
  /** Starts the driver. */
  start(onMessage: (message: Message) => void, onEnd: (why: string) => void): Promise<HostedRun>;
};

export type HostedRun = {
  send(command: NumberedCommand): void;
  /** The driver has forgotten the client: another run may have it. */
  release?(): void;
  /** Ends it at once, without any warning to the client. Settles when it has ended. */
  kill(): Promise<void>;
};
