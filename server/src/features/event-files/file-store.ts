/** A file that is being written. Nobody sees it before it is committed. */
export type NewFile = {
  write(bytes: Uint8Array): Promise<void>;
  /** The file stands under its name from here on, whole, also after a power cut. One of the same name is replaced. */
  commit(): Promise<void>;
  /** Does nothing after a commit. */
  discard(): Promise<void>;
};

/**
 * Where the files lie. Names are paths with `/`, such as `studio/game/manifest.json`. What is needed is small, so that a store of objects
 * can take the place of a folder.
 */
export type FileStore = Readonly<{
  /** All files, also what interrupted runs have left behind. */
  list(): Promise<string[]>;
  create(name: string): Promise<NewFile>;
  /** Undefined if there is none. */
  read(name: string): Promise<string | undefined>;
  /** Readers see the former content or the new one, whole. */
  replace(name: string, content: string): Promise<void>;
  remove(name: string): Promise<void>;
}>;
