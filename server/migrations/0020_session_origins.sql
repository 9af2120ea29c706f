-- People see where their own sessions were begun, and end those that they do not know.
alter table account_sessions add column network text, add column browser text;
comment on column account_sessions.network is 'Roughly from where it was begun: a /24 of IPv4 or a /48 of IPv6.';
comment on column account_sessions.browser is 'What the browser called itself then, in words: Firefox on Windows.';
