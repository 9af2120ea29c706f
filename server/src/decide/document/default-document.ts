import type { ConfigDocument } from './document.js';
import { DEFAULT_PREDICTIONS } from './parts/predictions.js';
import type { SegmentEntry } from './parts/segments.js';

const segment = (
  segmentId: string,
  name: string,
  rule: string,
  priority: number,
  visibleToClients: boolean,
): SegmentEntry => ({ segmentId, name, rule, visibleToClients, priority });

/** The segments every game starts with. They are ordinary entries of the document: a studio may change or delete them. */
const DEFAULT_SEGMENTS: readonly SegmentEntry[] = [
  segment('new_player', 'New player', 'daysSinceFirstSeen < 7', 0, true),
  segment('non_payer', 'Non-payer', '!flags.isPayer', 0, true),
  segment('payer', 'Payer', 'flags.isPayer', 0, true),
  segment('lapsed_payer', 'Lapsed payer', 'purchases.total > 0 && daysSinceLastPurchase >= 30', 0, true),
  segment('dormant', 'Dormant', 'daysSinceLastEvent >= 14', 0, true),
  // What a studio thinks of its players' habits and spending is not sent to their devices, unless the studio decides so.
  segment('engaged', 'Engaged', 'activeDays.last7d >= 4', 0, false),
  segment('ad_heavy', 'Watches many ads', 'adImpressions.last7d >= 50', 0, false),
  segment(
    'top_spender',
    'Top spender',
    'spend["USD"].total >= 100 || spend["EUR"].total >= 100 || spend["GBP"].total >= 100',
    0,
    false,
  ),
];

/** The document of a game before anything is published: the default segments, payers never expire, nothing is for sale. */
export const DEFAULT_DOCUMENT: ConfigDocument = {
  flags: { isPayer: { payerForDays: null }, custom: [] },
  segments: [...DEFAULT_SEGMENTS],
  catalogue: [],
  store: { sendFallback: false, holdoutPercent: 0, largestDiscountPercent: '100' },
  offers: [],
  predictions: DEFAULT_PREDICTIONS,
};
