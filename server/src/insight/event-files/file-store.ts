import type { Readable } from 'node:stream';

/** A file that is being written. Nobody sees it before it is committed. */
export type NewFile = {
  write(bytes: Uint8Array): Promise<void>;
  /** The file stands under its name from here on, whole, also after a power cut. One of the same name is replaced. */
  commit(): Promise<void>;
  /** Does nothing after a commit. */
  discard(): Promise<void>;
};

/**
 * Where the files lie: a folder or a bucket. Names are paths with `/`, such as `studio/game/manifest.json`.
 */
export type FileStore = Readonly<{
  /** The bytes of all files by their names, also of what interrupted runs have left behind. */
  list(): Promise<Map<string, number>>;
  create(name: string): Promise<NewFile>;
  /** Undefined if there is none. */
  open(name: string): Promise<Readable | undefined>;
  /** Readers see the former content or the new one, whole. */
  replace(name: string, content: string): Promise<void>;
  remove(name: string): Promise<void>;
}>;
