-- Names of people are not unique, their addresses are: who saved a draft, published a version or set a flag. Null for what was
-- written before, and for tokens, commands and the service itself.
alter table config_versions add column author_email text;
alter table config_drafts add column updated_by_email text;
alter table flag_overrides
  add column author_email text,
  add column cleared_by_email text;
