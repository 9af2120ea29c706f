create table account_recovery_codes (
  account_id uuid not null references accounts,
  code_hash bytea not null,
  primary key (account_id, code_hash)
);
comment on table account_recovery_codes is
  'A code that signs a person in once instead of a code of the authenticator app. The row is deleted when its code is used. The hash is of 80 random bits: nothing to guess, nothing to salt.';
