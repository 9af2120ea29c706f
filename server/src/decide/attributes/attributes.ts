import type { Attribute } from './attribute.js';
import { AttributeRegistry } from './attribute-registry.js';
import {
  counts,
  membership,
  plainValue,
  player,
  profile,
  sumsByKey,
  totalOf,
  totalOfType,
  windowCounts,
} from './define-attributes.js';
import { EXPERIMENT_ARMS } from './experiment-attribute.js';
import { numberIn } from './player-facts.js';
import { PREDICTIONS } from './prediction-attribute.js';
import { daysSince, firstSeenAt, lastSeenAt, TIME_BASIS } from './time-basis.js';

/** The result of "days since" for what never happened: longer ago than anything that did. */
const NEVER_DAYS = 1_000_000;

const minutes = (ms: number) => Math.floor(ms / 60_000);
/** Authors of rules expect 0.1 + 0.2 to be 0.3: money is rounded to the six decimals that a price can have. */
const money = (sum: number) => Math.round(sum * 1e6) / 1e6;

/**
 * Everything a rule can ask about a player. An attribute is defined here and nowhere else: rules, validation, dry runs,
 * explain, the admin API and docs/personalisation.md (`npm run generate`) derive from its definition.
 */
export const ATTRIBUTES: readonly Attribute[] = [
  plainValue('daysSinceFirstSeen', {
    type: 'int',
    description:
      'Whole days since the first login, or since the beginning of the UTC day of the first event if that day is earlier.',
    basis: TIME_BASIS.firstSeen,
    onlyGrows: true,
    read: ({ facts, now }) => daysSince(firstSeenAt(facts), now),
    facts: [player('createdAt'), player('firstDay')],
  }),
  plainValue('daysSinceLastEvent', {
    type: 'int',
    description: 'Whole days since the last event, or since the first login for a player who sent none.',
    basis: TIME_BASIS.lastEvent,
    read: ({ facts, now }) => daysSince(lastSeenAt(facts), now),
    facts: [player('lastEventAt'), player('createdAt')],
  }),
  plainValue('daysSinceLastPurchase', {
    type: 'int',
    description: `Whole days since the last purchase that was not refunded; ${NEVER_DAYS} if there is none.`,
    basis: TIME_BASIS.lastPurchase,
    read: ({ facts, now }) =>
      facts.lastPurchaseAt === null ? NEVER_DAYS : daysSince(facts.lastPurchaseAt, now),
    facts: [player('lastPurchaseAt')],
  }),
  counts('purchases', 'Purchases, refunded ones not counted.', {
    total: totalOf('purchaseCount', (facts) => facts.purchaseCount),
    source: 'purchases',
    ofDay: (day) => day.purchases,
  }),
  counts('sessions', 'Sessions begun (Session_Start events).', {
    total: totalOfType('Session_Start'),
    source: 'sessions',
    ofDay: (day) => day.sessions,
  }),
  counts('adImpressions', 'Ads shown (Ad_Impression events).', {
    total: totalOfType('Ad_Impression'),
    source: 'adImpressions',
    ofDay: (day) => day.adImpressions,
  }),
  counts('storeViews', 'Visits to the store (Store_View events).', {
    total: totalOfType('Store_View'),
    source: 'storeViews',
    ofDay: (day) => day.storeViews,
  }),
  counts('eventCount', 'Events of any type.', {
    total: totalOf('eventCount', (facts) => facts.eventCount),
    source: 'events',
    ofDay: (day) => day.events,
  }),
  windowCounts('playMinutes', 'Whole minutes of play, from the durations of Session_End events.', {
    source: 'playMs',
    ofDay: (day) => day.playMs,
    finish: minutes,
  }),
  windowCounts('activeDays', 'Days with at least one event.', {
    source: 'events',
    ofDay: (day) => (day.events > 0 ? 1 : 0),
  }),
  sumsByKey('events', 'Events by type; 0 for a type that never came.', {
    type: 'Counts',
    usage: 'events["Level_Complete"].last7d',
    key: 'eventType',
    sumOf: (eventType) => ({
      total: totalOfType(eventType),
      source: 'eventCounts',
      ofDay: ({ eventCounts }) => numberIn(eventCounts, eventType),
    }),
  }),
  sumsByKey('spend', 'Money spent by currency, refunds taken off; 0 for a currency without purchases.', {
    type: 'Amounts',
    usage: 'spend["USD"].total',
    key: 'currency',
    sumOf: (currency) => ({
      total: totalOf('spend', ({ spend }) => numberIn(spend, currency)),
      source: 'revenue',
      ofDay: ({ revenue }) => numberIn(revenue, currency),
      finish: money,
    }),
  }),
  plainValue('country', {
    type: 'string',
    description: 'Last known country, two capital letters; "" if unknown.',
    read: ({ facts }) => facts.profile.country?.v ?? '',
    facts: [profile('country')],
  }),
  plainValue('locale', {
    type: 'string',
    description: 'Last known locale as the game sent it; "" if unknown.',
    read: ({ facts }) => facts.profile.locale?.v ?? '',
    facts: [profile('locale')],
  }),
  plainValue('os', {
    type: 'string',
    description: 'Last known osName; "" if unknown.',
    read: ({ facts }) => facts.profile.osName?.v ?? '',
    facts: [profile('osName')],
  }),
  plainValue('osVersion', {
    type: 'string',
    description: 'Last known osVersion; "" if unknown.',
    read: ({ facts }) => facts.profile.osVersion?.v ?? '',
    facts: [profile('osVersion')],
  }),
  plainValue('deviceType', {
    type: 'string',
    description: 'Last known deviceType; "" if unknown.',
    read: ({ facts }) => facts.profile.deviceType?.v ?? '',
    facts: [profile('deviceType')],
  }),
  PREDICTIONS,
  membership('flags', {
    usage: 'flags.isPayer',
    description: 'The flags of the player: isPayer and those the studio defined.',
    key: 'flagId',
    readerOf: (flagId) => (attributes) => {
      attributes.requireDecided('flag', flagId);
      return attributes.flags.get(flagId) === true;
    },
  }),
  membership('segments', {
    usage: '"payer" in segments',
    description: 'Whether the player is in another segment; segment("payer") asks the same.',
    key: 'segmentId',
    readerOf: (segmentId) => (attributes) => {
      attributes.requireDecided('segment', segmentId);
      return attributes.segments.has(segmentId);
    },
  }),
  EXPERIMENT_ARMS,
];

/** The registry of the service. Tests build others, with attributes of their own. */
export const ATTRIBUTE_REGISTRY = new AttributeRegistry(ATTRIBUTES);
