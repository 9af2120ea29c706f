-- Signing keys and the master key serve all studios: entries about them belong to the installation.
alter table audit_log alter column tenant_id drop not null;
comment on column audit_log.tenant_id is 'Null: the entry belongs to the installation as a whole.';
