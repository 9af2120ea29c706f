-- What has to stay cheap while tables grow.

-- An index on expires_at made every refresh of a session a new entry in each of its indexes. Now refreshes leave check_on
-- alone: it is the day on which maintenance looks at the session, and either deletes it or moves check_on to the day that
-- follows from its expires_at by then. So each session is looked at about once in the lifetime of a refresh token. Sessions
-- that are here already are looked at first.
alter table sessions add column check_on date not null default current_date;
drop index sessions_expiry;
-- room for the next version of a row beside it; the first refresh makes a row longer, too
alter table sessions set (fillfactor = 80);
comment on column sessions.check_on is 'The day on which maintenance looks whether the session can be deleted.';

-- A session that has ended is deleted at once: its row serves nobody, and a token without a session is refused.
delete from sessions where ended_at is not null;
alter table sessions drop column ended_at;
