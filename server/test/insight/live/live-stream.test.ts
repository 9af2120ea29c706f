import { describe, expect, it } from 'vitest';
import type { LiveRow } from '../../../src/insight/live/live-queries.js';
import { createLiveStream, readPlace } from '../../../src/insight/live/live-stream.js';
import type { LiveNews } from '../../../src/insight/live/live-tail.js';

const row = (place: number, text = ''): LiveRow => ({
  blockId: '7',
  place,
  receivedMs: 1_000,
  userId: 'player',
  eventType: 'Win',
  timestampText: null,
  occurredMs: 900,
  payload: { place, text },
  metadata: {},
});
const news = (rows: LiveRow[], rest: Partial<LiveNews> = {}): LiveNews => ({
  rows,
  events: rows.length,
  isMore: false,
  seconds: 0.5,
  ...rest,
});

/** All that was written, as kind and data. */
function written(stream: ReturnType<typeof createLiveStream>): [string, Record<string, unknown>][] {
  const text = String(stream.output.read() ?? '');
  const messages = text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g);
  return [...messages].map(([, kind = '', data = '']) => [kind, JSON.parse(data)]);
}
const places = (stream: ReturnType<typeof createLiveStream>) =>
  written(stream).flatMap(([kind, { payload }]) => (kind === 'event' ? [(payload as LiveRow).place] : []));

describe('the stream of a listener', () => {
  it('shows nothing twice that has come while it was caught up with', () => {
    const stream = createLiveStream();
    stream.catchUp(news([row(1), row(2)], { seconds: 0 }));
    stream.show(news([row(2), row(3)]));
    expect(places(stream)).toEqual([1, 2, 3]);
  });

  it('tells the rate about once a second, with what there was to catch up with', () => {
    const stream = createLiveStream();
    stream.catchUp(news([row(1)], { seconds: 0, isMore: true }));
    stream.show(news([row(2)], { events: 40 }));
    expect(written(stream).map(([kind]) => kind)).toEqual(['event', 'event']);
    stream.show(news([], { seconds: 0.51 }));
    expect(written(stream)).toEqual([['rate', { events: 41, shown: 2, isMore: true, seconds: 1.01 }]]);
    stream.show(news([], { seconds: 1 }));
    expect(written(stream)).toEqual([['rate', { events: 0, shown: 0, isMore: false, seconds: 1 }]]);
  });

  it('keeps about a megabyte for a listener who does not read, and leaves out the rest', () => {
    const stream = createLiveStream();
    const large = 'x'.repeat(100_000);
    for (let n = 0; n < 50; n++) stream.show(news([row(n, large)], { seconds: 0.01 }));
    const kept = stream.output.writableLength + stream.output.readableLength;
    expect(kept).toBeGreaterThan(1_000_000);
    expect(kept).toBeLessThan(1_500_000);
  });

  it('writes nothing after its end', () => {
    const stream = createLiveStream();
    stream.end('token_invalid');
    stream.show(news([row(1)], { seconds: 2 }));
    expect(written(stream)).toEqual([['end', { code: 'token_invalid' }]]);
  });
});

describe('the place that a browser sends back', () => {
  it.each([
    ['1000-7-2', { receivedMs: 1_000, blockId: '7', place: 2 }],
    ['', undefined],
    ['1000-7', undefined],
    ['-1-7-2', undefined],
    ['1000-7-2 ', undefined],
    [`1000-${'9'.repeat(30)}-2`, undefined],
    [['1000-7-2'], undefined],
    [undefined, undefined],
  ])('%j is read as %j', (text, place) => {
    expect(readPlace(text)).toEqual(place);
  });
});
