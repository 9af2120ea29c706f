-- What somebody has made in a studio, looked up when they are removed or demoted.
create index concurrently invitations_by_account on invitations (tenant_id, invited_by_account) where invited_by_account is not null;
create index concurrently invitations_by_token on invitations (tenant_id, invited_by_token) where invited_by_token is not null;
create index concurrently admin_tokens_by_account on admin_tokens (tenant_id, created_by_account) where created_by_account is not null;
