-- Which refused events a server of the studio sent: a replay takes their purchases as proved, as the intake would have.

alter table failed_events add column is_server boolean default false not null;
comment on column failed_events.is_server is
  'A server key with purchases:write sent it: its purchases and refunds are proved.';
