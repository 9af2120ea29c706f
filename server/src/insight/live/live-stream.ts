import { PassThrough } from 'node:stream';
import type { LiveRow } from './live-queries.js';
import type { LiveEvent } from './live-schemas.js';
import type { LiveNews, LivePlace } from './live-tail.js';

/** Limit for a listener that does not read: further events are dropped, and counted as not shown. */
const MAX_BUFFERED_BYTES = 1_048_576;
/** A listener that does not read the rest within this time is disconnected: an open connection takes capacity. */
const CLOSE_TIMEOUT_MS = 5_000;
/** Messages about the rate, apart. */
const RATE_INTERVAL_MS = 1_000;

/** The messages to one listener, as server-sent events. */
export type LiveStream = {
  readonly output: PassThrough;
  show(news: LiveNews): void;
  /** What has arrived while the listener was away. The same events may come once more as news, and are not shown again then. */
  catchUp(news: LiveNews): void;
  /** Says why, and closes. */
  end(code: string): void;
  close(): void;
};

export function createLiveStream(): LiveStream {
  const output = new PassThrough();
  const caughtUp = new Set<string>();
  let rate = NO_RATE;

  const write = (message: string): boolean => {
    if (output.destroyed || output.writableEnded || output.writableLength > MAX_BUFFERED_BYTES) return false;
    output.write(message);
    return true;
  };

  const close = (): void => {
    output.end();
    setTimeout(() => output.destroy(), CLOSE_TIMEOUT_MS).unref();
  };

  const showRows = (rows: readonly LiveRow[]): number =>
    rows.filter((row) => {
      const id = placeText(row);
      if (caughtUp.has(id)) return false;
      return write(`id: ${id}\nevent: event\ndata: ${JSON.stringify(liveEvent(row))}\n\n`);
    }).length;

  const addRate = ({ rows, events, isMore, seconds }: LiveNews) => {
    rate = {
      events: rate.events + events,
      shown: rate.shown + showRows(rows),
      isMore: rate.isMore || isMore,
      seconds: rate.seconds + seconds,
    };
  };

  // A browser calls the connection open when it has the first byte.
  output.write(': the events of this game, as they arrive\n\n');
  return {
    output,
    show(news) {
      addRate(news);
      if (rate.seconds * 1_000 < RATE_INTERVAL_MS) return;
      const told = { ...rate, seconds: Math.round(rate.seconds * 1_000) / 1_000 };
      write(`event: rate\ndata: ${JSON.stringify(told)}\n\n`);
      rate = NO_RATE;
    },
    catchUp(news) {
      addRate(news);
      for (const row of news.rows) caughtUp.add(placeText(row));
    },
    end(code) {
      write(`event: end\ndata: ${JSON.stringify({ code })}\n\n`);
      close();
    },
    close,
  };
}

const NO_RATE = { events: 0, shown: 0, isMore: false, seconds: 0 };

function liveEvent(row: LiveRow): LiveEvent {
  const { receivedMs, userId, eventType, timestampText, occurredMs, payload, metadata } = row;
  return {
    receivedAt: new Date(receivedMs).toISOString(),
    playerId: userId,
    eventType,
    timestamp: timestampText ?? new Date(occurredMs).toISOString(),
    payload,
    metadata,
  };
}

function placeText({ receivedMs, blockId, place }: LivePlace): string {
  return `${receivedMs}-${blockId}-${place}`;
}

const PLACE = /^(\d{1,15})-(\d{1,18})-(\d{1,9})$/;

/** The position in `Last-Event-ID`; undefined for anything that we did not write. */
export function readPlace(text: unknown): LivePlace | undefined {
  const [, receivedMs, blockId, place] = typeof text === 'string' ? (PLACE.exec(text) ?? []) : [];
  if (receivedMs === undefined || blockId === undefined || place === undefined) return undefined;
  return { receivedMs: Number(receivedMs), blockId, place: Number(place) };
}
