-- The reporting currency of a studio (docs/adr/0035-reporting-currency.md), and the payers of 7 and 30 days, without which the
-- conversion of a period cannot be told.

create table reporting_rates (
  tenant_id integer not null references tenants,
  version integer not null check (version > 0),
  -- null: the studio has no reporting currency from this version on
  currency text,
  -- [{"currency":"EUR","from":"2026-01-01","rate":"1.08"}], sorted by currency and day
  rates json not null,
  author text not null,
  author_email text,
  created_at timestamptz not null,
  primary key (tenant_id, version)
);
comment on table reporting_rates is 'Reporting currency and exchange rates of a studio: every version in full, the highest is in force.';

-- null until the day is summed again by this build
alter table game_active_players add column weekly_payers bigint, add column monthly_payers bigint;
comment on table game_active_players is 'How many players were active, and how many paid, on at least one of the 7, or 30, UTC days that end with a day.';
comment on table breakdown_sums is 'What a run has summed so far. The dimensions weekly, monthly, weekly_payers and monthly_payers hold by how much the players of each day differ from those of the day before.';
