import { hash } from 'node:crypto';
import type pg from 'pg';

/** How many rows a table holds, and what is in them whatever their order: sums of their digests. */
export type RowDigest = Readonly<{ rows: number; digest: string }>;

/** What is written at once; a message of PostgreSQL is one row. */
const BATCH_BYTES = 256 * 1024;

/** `PGCOPY\n\377\r\n\0`, flags, and the length of an extension, which is empty. */
const HEADER_BYTES = 19;
const LANES = [0, 6, 12] as const;
const LANE_BYTES = 6;
const LANE_RANGE = 2 ** (8 * LANE_BYTES);

/** What node-postgres has, and its types have not. */
type CopyConnection = pg.Connection & {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
};

/** What both directions have to be for node-postgres. */
type CopyQuery = pg.Submittable & {
  handleError(error: Error): void;
  handleCommandComplete(): void;
  handleReadyForQuery(): void;
  handleCopyInResponse(connection: CopyConnection): void;
  handleCopyData(message: { chunk: Buffer }, connection: CopyConnection): void;
};

/** Reads with a `copy … to stdout (format binary)` without writing anywhere. */
export async function digestRows(
  from: pg.Client,
  readSql: string,
  onBytes: (bytes: number) => void,
): Promise<RowDigest> {
  const summing = startDigest();
  await read(from, readSql, (chunk) => {
    summing.add(chunk);
    onBytes(chunk.length);
  });
  return summing.result();
}

/** Streams the rows of one server to another: no faster than the second takes them. */
export async function copyRows(
  from: pg.Client,
  to: pg.Client,
  { readSql, writeSql }: { readSql: string; writeSql: string },
  onBytes: (bytes: number) => void,
): Promise<RowDigest> {
  const summing = startDigest();
  const { target, written } = await beginWriting(to, writeSql);
  const batch = Buffer.allocUnsafe(BATCH_BYTES);
  let filled = 0;
  let paused: CopyConnection | undefined;
  const flush = () => {
    if (filled > 0) target.sendCopyFromChunk(batch.subarray(0, filled));
    filled = 0;
  };
  const reading = read(from, readSql, (chunk, source) => {
    summing.add(chunk);
    onBytes(chunk.length);
    if (filled + chunk.length > BATCH_BYTES) flush();
    if (chunk.length > BATCH_BYTES) target.sendCopyFromChunk(chunk);
    // The parser uses the memory of a message again.
    else filled += chunk.copy(batch, filled);
    if (target.stream.writableNeedDrain && !source.stream.isPaused()) {
      source.stream.pause();
      paused = source;
      target.stream.once('drain', () => source.stream.resume());
    }
  });
  try {
    await Promise.race([reading, written]).catch((error: Error) => {
      target.sendCopyFail(error.message);
      throw error;
    });
    flush();
    target.endCopyFrom();
    await written;
    return summing.result();
  } finally {
    // A target that is gone does not drain, and a connection with unread data does not end.
    paused?.stream.resume();
  }
}

function read(
  client: pg.Client,
  sql: string,
  onRow: (chunk: Buffer, source: CopyConnection) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const query: CopyQuery = {
      submit: (connection) => connection.query(sql),
      handleError: reject,
      handleCommandComplete() {},
      handleReadyForQuery: resolve,
      handleCopyInResponse: (connection) => connection.sendCopyFail('this statement does not read'),
      handleCopyData: ({ chunk }, connection) => onRow(chunk, connection),
    };
    client.query(query);
  });
}

/** Resolves when the server wants the rows. `written` resolves when it has them all. */
function beginWriting(
  client: pg.Client,
  sql: string,
): Promise<{ target: CopyConnection; written: Promise<void> }> {
  return new Promise((resolve, reject) => {
    const written = new Promise<void>((isWritten, hasFailed) => {
      const query: CopyQuery = {
        submit: (connection) => connection.query(sql),
        handleError: hasFailed,
        handleCommandComplete() {},
        handleReadyForQuery: isWritten,
        handleCopyInResponse: (target) => resolve({ target, written }),
        handleCopyData() {},
      };
      client.query(query);
    });
    // Whoever waits for the rows to be wanted hears of it, also of what is thrown before anything was sent.
    written.catch(reject);
  });
}

/** Sums do not depend on the order, in which two servers need not agree. */
function startDigest() {
  const lanes = LANES.map(() => 0);
  let rows = 0;
  let isFirst = true;
  return {
    add(message: Buffer): void {
      const row = isFirst ? message.subarray(HEADER_BYTES) : message;
      isFirst = false;
      if (row.length === 0 || isTrailer(row)) return;
      const digest = hash('sha256', row, 'buffer');
      LANES.forEach((offset, lane) => {
        lanes[lane] = ((lanes[lane] ?? 0) + digest.readUIntBE(offset, LANE_BYTES)) % LANE_RANGE;
      });
      rows++;
    },
    result: (): RowDigest => ({
      rows,
      digest: lanes.map((lane) => lane.toString(16).padStart(2 * LANE_BYTES, '0')).join(''),
    }),
  };
}

/** In the place of the number of columns. */
const isTrailer = (row: Buffer): boolean => row.length === 2 && row.readInt16BE() === -1;
