-- Who was in which segment at the first exposure (ADR 0072).

alter table config_versions add column exposure_segments text[];
comment on column config_versions.exposure_segments is
  'The segments that exposures are stored with while this version is in force; null: without any.';

alter table experiment_exposures add column segments text[];
comment on column experiment_exposures.segments is
  'Those of config_versions.exposure_segments that the player was told to be in at the exposure; null: not known.';
