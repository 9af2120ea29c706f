import {
  type ExperimentExposure,
  epochDay,
  type FlagOverride,
  type PlayerDay,
  type PlayerFacts,
  type PlayerHistory,
  type PlayerPin,
  type SegmentStay,
} from '../../decide/attributes/player-facts.js';
import { NOTHING_WORKED_OUT, type OwnFacts } from '../../decide/own-attributes/own-facts.js';
import { type Client, type Pool, query } from '../../platform/db/pool.js';
import { DAY_MS } from '../../platform/lib/day.js';

/** The facts of a player and what they were read with, as one snapshot of the database. */
export type PlayerReading = Readonly<{
  playerId: string;
  gameId: number;
  configVersion: number;
  predictionsVersion: number;
  rowVersion: string;
  facts: PlayerFacts;
}>;

type FactsRow = PlayerHistory & {
  playerId: string;
  gameId: number;
  configVersion: number;
  predictionsVersion: number;
  rowVersion: string;
  userId: string;
  createdAt: number;
  lastEventAt: number | null;
  eventCount: number;
  eventCounts: Record<string, number>;
  purchaseCount: number;
  lastPurchaseAt: number | null;
  spend: Record<string, number>;
  profile: PlayerFacts['profile'];
  days: DayTuple[] | null;
  promoPurchases: Record<string, number> | null;
  overrides: OverrideTuple[] | null;
  pins: PinTuple[] | null;
  overridesAt: number | null;
  stays: StayTuple[] | null;
  exposures: ExposureTuple[] | null;
  ageGroup: PlayerFacts['ageGroup'];
  ageGroupAt: number | null;
  own: OwnFacts | null;
};

/** Arrays, not objects: a player has up to 28 days, and names would be most of the text. */
type DayTuple = [
  epochDay: number,
  events: number,
  sessions: number,
  adImpressions: number,
  storeViews: number,
  playMs: number,
  eventCounts: Record<string, number>,
  purchases: number,
  revenue: Record<string, number>,
];
export type OverrideTuple = [flagId: string, value: boolean, setAt: number, until: number | null];
export type PinTuple = [
  kind: PlayerPin['kind'],
  target: string,
  value: unknown,
  reason: string,
  author: string,
  setAt: number,
  until: number | null,
];
export type ExposureTuple = [experimentId: string, seed: string, variantId: string, exposedAt: number];
export type StayTuple = [segmentId: string, thresholds: string, enteredAt: number, value: number];

/**
 * The windows of rules cover today and the 27 days before, those of predictions the 28 days before today: an unfinished day
 * says nothing yet about a player who has not come.
 */
const WINDOW_DAYS = 29;

/**
 * The overrides of `players p` as OverrideTuples. $1: the instant for which they are read. A change made by a node whose
 * clock is ahead counts from now. Skipped for players who never had an override or a pin.
 */
export const OVERRIDES_COLUMN = `case when p.overrides_at is not null then (
    select json_agg(json_build_array(o.flag_id, o.value,
      floor(extract(epoch from least(o.set_at, $1::timestamptz)) * 1000), floor(extract(epoch from o.until) * 1000)))
    from flag_overrides o
    where o.player_id = p.id and o.set_at <= greatest($1::timestamptz, p.overrides_at)
      and (o.cleared_at is null or o.cleared_at > greatest($1::timestamptz, p.overrides_at))
  ) end`;

/** The pins of `players p` as PinTuples, in the same way. */
export const PINS_COLUMN = `case when p.overrides_at is not null then (
    select json_agg(json_build_array(n.kind, n.target, n.value, n.reason, n.author,
      floor(extract(epoch from least(n.set_at, $1::timestamptz)) * 1000), floor(extract(epoch from n.until) * 1000)))
    from player_pins n
    where n.player_id = p.id and n.set_at <= greatest($1::timestamptz, p.overrides_at)
      and (n.cleared_at is null or n.cleared_at > greatest($1::timestamptz, p.overrides_at))
  ) end`;

/** The stays of `players p` that have not ended, as StayTuples. Not looked for where there never was one. */
export const STAYS_COLUMN = `case when p.stays_at is not null then (
    select json_agg(json_build_array(s.segment_id, s.thresholds, floor(extract(epoch from s.entered_at) * 1000),
      s.entered_value))
    from segment_stays s
    where s.player_id = p.id and s.left_at is null
  ) end`;

/** The arms that `players p` was told, as ExposureTuples. */
export const EXPOSURES_COLUMN = `(
    select json_agg(json_build_array(x.experiment_id, x.seed, x.variant_id, floor(extract(epoch from x.exposed_at) * 1000)))
    from experiment_exposures x where x.player_id = p.id
  )`;

/** The purchases of `players p` by promotion. Bounded: a client can invent any number of promotions. */
export const PROMO_PURCHASES_COLUMN = `case when p.purchase_count > 0 then (
    select json_object_agg(m.promo_id, m.purchases)
    from (
      select promo_id, purchases from player_promotions
      where player_id = p.id and purchases > 0 order by promo_id limit 256
    ) m
  ) end`;

/** Of `players p`, for predictions; days are numbers since 1970. */
export const FIRST_DAY_COLUMN = `p.first_day - date '1970-01-01'`;
export const FIRST_PURCHASE_DAY_COLUMN = `(p.first_purchase_at at time zone 'UTC')::date - date '1970-01-01'`;
/** `purchase_days` covers 180 days: only for payers with older purchases is there more to count. */
export const EARLIER_PURCHASE_DAYS_COLUMN = `case when (p.first_purchase_at at time zone 'UTC')::date < lower(p.purchase_days) then (
    select count(*)::int from player_days e
    where e.player_id = p.id and e.day < lower(p.purchase_days) and e.purchases > 0
  ) end`;

/** Without events there is nothing to work out. */
export const OWN_COLUMN = `case when p.event_count = 0 then '"no events"' else p.own_attributes end`;

/** $1: now, $2: players, $3: the first day that windows still reach. */
const FACTS_COLUMNS = `
  p.id as "playerId", p.game_id as "gameId", p.xmin as "rowVersion", p.user_id as "userId", p.created_at as "createdAt",
  p.last_event_at as "lastEventAt", p.event_count::float8 as "eventCount", p.event_counts as "eventCounts",
  p.purchase_count as "purchaseCount", p.last_purchase_at as "lastPurchaseAt", p.spend,
  case when p.time_zone is null then p.profile else p.profile || jsonb_build_object('timeZone', p.time_zone) end as profile,
  case when p.last_event_at is not null then (
    select json_agg(json_build_array(d.day - date '1970-01-01', d.events, d.sessions, d.ad_impressions, d.store_views,
      d.play_ms, d.event_counts, d.purchases, d.revenue))
    from player_days d where d.player_id = p.id and d.day >= $3::date
  ) end as days,
  ${PROMO_PURCHASES_COLUMN} as "promoPurchases",
  ${OVERRIDES_COLUMN} as overrides, ${PINS_COLUMN} as pins, p.overrides_at as "overridesAt",
  ${STAYS_COLUMN} as stays, case when g.running_experiments is not null then ${EXPOSURES_COLUMN} end as exposures,
  p.age_group as "ageGroup", p.age_group_at as "ageGroupAt",
  ${FIRST_DAY_COLUMN} as "firstDay", p.active_days::text as "activeDays",
  p.purchase_days::text as "purchaseDays", p.repeat_spend as "repeatSpend",
  ${FIRST_PURCHASE_DAY_COLUMN} as "firstPurchaseDay",
  ${EARLIER_PURCHASE_DAYS_COLUMN} as "earlierPurchaseDays",
  ${OWN_COLUMN} as own`;

export async function findFacts(
  db: Pool | Client,
  playerIds: readonly string[],
  nowMs: number,
): Promise<PlayerReading[]> {
  const rows = await query<FactsRow>(
    db,
    {
      name: 'find_facts',
      text: `select g.published_version as "configVersion", g.predictions_version as "predictionsVersion", ${FACTS_COLUMNS}
             from players p join lateral (select * from games g where g.id = p.game_id offset 0) g on true
             where p.id = any($2::bigint[])`,
    },
    [new Date(nowMs), playerIds, firstWindowDay(nowMs)],
  );
  return rows.map(toReading);
}

function firstWindowDay(nowMs: number): string {
  return new Date((epochDay(nowMs) - WINDOW_DAYS + 1) * DAY_MS).toISOString().slice(0, 10);
}

function toReading(row: FactsRow): PlayerReading {
  const facts: PlayerFacts = {
    userId: row.userId,
    createdAt: row.createdAt,
    lastEventAt: row.lastEventAt,
    eventCount: row.eventCount,
    eventCounts: row.eventCounts,
    purchaseCount: row.purchaseCount,
    lastPurchaseAt: row.lastPurchaseAt,
    spend: row.spend,
    profile: row.profile,
    days: (row.days ?? []).map(toDay),
    promoPurchases: row.promoPurchases ?? {},
    overrides: (row.overrides ?? []).map(toOverride),
    pins: (row.pins ?? []).map(toPin),
    overridesAt: row.overridesAt,
    stays: (row.stays ?? []).map(toStay),
    exposures: (row.exposures ?? []).map(toExposure),
    ageGroup: row.ageGroup,
    ageGroupAt: row.ageGroupAt,
    history: {
      firstDay: row.firstDay,
      activeDays: row.activeDays,
      purchaseDays: row.purchaseDays,
      firstPurchaseDay: row.firstPurchaseDay,
      earlierPurchaseDays: row.earlierPurchaseDays,
      repeatSpend: row.repeatSpend,
    },
    own: row.own ?? NOTHING_WORKED_OUT,
  };
  return {
    playerId: row.playerId,
    gameId: row.gameId,
    configVersion: row.configVersion,
    predictionsVersion: row.predictionsVersion,
    rowVersion: row.rowVersion,
    facts,
  };
}

function toDay([
  day,
  events,
  sessions,
  adImpressions,
  storeViews,
  playMs,
  eventCounts,
  purchases,
  revenue,
]: DayTuple): PlayerDay {
  return {
    epochDay: day,
    events,
    sessions,
    adImpressions,
    storeViews,
    playMs,
    eventCounts,
    purchases,
    revenue,
  };
}

export function toOverride([flagId, value, setAt, until]: OverrideTuple): FlagOverride {
  return { flagId, value, setAt, until };
}

export function toPin([kind, target, value, reason, author, setAt, until]: PinTuple): PlayerPin {
  return { kind, target, value, reason, author, setAt, until };
}

export function toExposure([experimentId, seed, variantId, exposedAt]: ExposureTuple): ExperimentExposure {
  return { experimentId, seed, variantId, exposedAt };
}

export function toStay([segmentId, thresholds, enteredAt, value]: StayTuple): SegmentStay {
  return { segmentId, thresholds, enteredAt, value };
}
