import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { NewFile } from '../file-store.js';
import type { FileEvent } from './file-events.js';

type Column = keyof FileEvent;
type Element = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;
/** Milliseconds in UTC. */
const TIME = { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' } as const;
/** 12 digits before the point, as a price may have, and 6 behind it. */
const AMOUNT = { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 6 } as const;

/** The columns in their order. Whoever adds one adds it to docs/analysts.md. */
const COLUMNS: Readonly<Record<Column, Omit<Element, 'name'>>> = {
  event_id: { ...TEXT, repetition_type: 'OPTIONAL' },
  event_type: { ...TEXT, repetition_type: 'REQUIRED' },
  counted_at: { ...TIME, repetition_type: 'REQUIRED' },
  sent_at: { ...TIME, repetition_type: 'REQUIRED' },
  received_at: { ...TIME, repetition_type: 'REQUIRED' },
  clock_suspect: { type: 'BOOLEAN', repetition_type: 'REQUIRED' },
  player_key: { ...TEXT, repetition_type: 'REQUIRED' },
  country: { ...TEXT, repetition_type: 'OPTIONAL' },
  platform: { ...TEXT, repetition_type: 'OPTIONAL' },
  build: { ...TEXT, repetition_type: 'OPTIONAL' },
  transaction_id: { ...TEXT, repetition_type: 'OPTIONAL' },
  sku_id: { ...TEXT, repetition_type: 'OPTIONAL' },
  price: { ...AMOUNT, repetition_type: 'OPTIONAL' },
  currency: { ...TEXT, repetition_type: 'OPTIONAL' },
  verified_by: { ...TEXT, repetition_type: 'OPTIONAL' },
  payload: { ...TEXT, repetition_type: 'REQUIRED' },
  metadata: { ...TEXT, repetition_type: 'REQUIRED' },
};
export const COLUMN_NAMES = Object.keys(COLUMNS) as Column[];
const SCHEMA: Element[] = [
  { name: 'events', num_children: COLUMN_NAMES.length },
  ...COLUMN_NAMES.map((name) => ({ ...COLUMNS[name], name })),
];

/** A row group is held in memory as a whole, and readers skip one by the times in it. */
const GROUP_ROWS = 50_000;
const GROUP_CHARACTERS = 16_000_000;
/** The highest level takes three times as long for a few per cent. */
const GZIP = { level: 4 };

export type WrittenFile = Readonly<{ events: number; bytes: number; sha256: Buffer }>;

/** Gathers rows into row groups, and writes each as soon as it is full. */
export function createParquetFile(file: NewFile) {
  const bytes = new FileWriter(file);
  const parquet = new ParquetWriter({
    writer: bytes,
    schema: SCHEMA,
    codec: 'GZIP',
    compressors: { GZIP: (input) => gzipSync(input, GZIP) },
    createdBy: 'savepoint',
  });
  let rows: FileEvent[] = [];
  let characters = 0;
  let events = 0;

  const writeGroup = async () => {
    const group = rows;
    rows = [];
    characters = 0;
    const columnData = COLUMN_NAMES.map((name) => ({
      name,
      data: group.map((row) => row[name]),
      offsetIndex: false,
    }));
    await parquet.write({ columnData, rowGroupSize: GROUP_ROWS });
  };

  return {
    async add(row: FileEvent): Promise<void> {
      rows.push(row);
      events++;
      characters += row.payload.length + row.metadata.length;
      if (rows.length >= GROUP_ROWS || characters >= GROUP_CHARACTERS) await writeGroup();
    },
    /** Writes the rest. The caller commits the file. */
    async end(): Promise<WrittenFile> {
      if (rows.length > 0) await writeGroup();
      await parquet.finish();
      return { events, bytes: bytes.offset, sha256: bytes.digest() };
    },
  };
}

/** Hands on what was written after each row group: the file is never in memory as a whole. */
class FileWriter extends ByteWriter {
  readonly #file: NewFile;
  readonly #hash = createHash('sha256');

  constructor(file: NewFile) {
    super();
    this.#file = file;
  }

  async flush(): Promise<void> {
    const bytes = this.getBytes();
    this.#hash.update(bytes);
    await this.#file.write(bytes);
    this.index = 0;
  }

  override finish(): Promise<void> {
    return this.flush();
  }

  digest(): Buffer {
    return this.#hash.digest();
  }
}
