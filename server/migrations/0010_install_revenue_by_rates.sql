-- Revenue per install in the reporting currency: docs/adr/0042-the-last-figures-of-money.md.

-- A cell of a week or month covers several calendar days, on which different rates may hold. Cells of before this migration get
-- -infinity: no rate holds so early. The next run sums them again, because the days below differ from those of the rates.
alter table game_install_revenue add column rate_day date not null default '-infinity';
alter table game_install_revenue drop constraint game_install_revenue_pkey;
alter table game_install_revenue
  add primary key (game_id, dimension, period, cohort, is_remainder, value, age, currency, rate_day);
comment on column game_install_revenue.rate_day is
  'The last day up to the payments from which another exchange rate holds, of breakdown_runs.rate_days; -infinity if there is none.';

alter table install_revenue_sums add column rate_day date not null default '-infinity';
alter table install_revenue_sums drop constraint install_revenue_sums_pkey;
alter table install_revenue_sums
  add primary key (game_id, dimension, period, cohort, is_remainder, value, age, currency, rate_day);

alter table breakdown_runs add column rate_days date[] not null default '{}';
comment on column breakdown_runs.rate_days is
  'The days from which other exchange rates hold, as they were when the run started: its revenue is summed apart between them.';
