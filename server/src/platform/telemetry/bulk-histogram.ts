import { Histogram, type HistogramConfiguration, type LabelValues } from 'prom-client';

const MAX_WAITING = 256;

export type BulkHistogram<Label extends string> = {
  observe(labels: LabelValues<Label>, value: number): void;
};

/**
 * A histogram for what happens with every request. Observations are buffered until there are many, or until a scrape:
 * recorded in a row they cost a third of what each costs between other work.
 */
export function createBulkHistogram<Label extends string>(
  configuration: Omit<HistogramConfiguration<Label>, 'collect'>,
): BulkHistogram<Label> {
  let waiting: { labels: LabelValues<Label>; value: number }[] = [];
  const flush = (): void => {
    const told = waiting;
    waiting = [];
    for (const { labels, value } of told) histogram.observe(labels, value);
  };
  const histogram: Histogram<Label> = new Histogram<Label>({ ...configuration, collect: flush });
  return {
    observe(labels, value) {
      waiting.push({ labels, value });
      if (waiting.length >= MAX_WAITING) flush();
    },
  };
}
