-- What the models expected of a player at the first exposure (ADR 0070).

alter table experiment_exposures add column forecast real[];
comment on column experiment_exposures.forecast is
  'The predictions churn, spend and revenue as the player would have been told them at the exposure; an element is null where the models did not say it. Null where they said none of them.';
