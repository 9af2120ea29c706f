-- Two people may have the same name, and a token may be called like a person: the audit log tells them apart.
alter table audit_log add column actor_email text, add column actor_token text;
comment on column audit_log.actor_email is 'The address of the person who was signed in. Null: a token, a command or the service itself.';
comment on column audit_log.actor_token is 'The id of the admin token that was used. Null: a person, a command or the service itself.';

-- Who loses the right to invite loses the invitations, too; the admin tokens are shown to whoever takes the right away.
alter table invitations add column invited_by_account uuid, add column invited_by_token text;
alter table admin_tokens add column created_by_account uuid;
