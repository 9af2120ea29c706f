-- Who has the draft of a game open, so that two people who edit it are told of each other before they save. A window repeats its row
-- every few seconds, and the row of a window that has gone expires.
create table draft_editors (
  game_id integer not null references games,
  account_id uuid not null references accounts,
  window_id uuid not null,
  opened_at timestamptz not null,
  -- of the last change in this window that is not saved
  changed_at timestamptz,
  expires_at timestamptz not null,
  primary key (game_id, account_id, window_id)
);
create index draft_editors_expiry on draft_editors (expires_at);
