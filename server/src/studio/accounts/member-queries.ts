import type { Page } from '../../platform/admin-api/keyset-page.js';
import { type Client, type Pool, query } from '../../platform/db/pool.js';
import { NIL_UUID } from '../../platform/lib/uuid.js';
import type { Role } from '../admin-api/roles.js';

export type NewMemberRow = Readonly<{ tenantId: number; accountId: string; role: Role; joinedAt: number }>;

/** False if the account is a member already. */
export async function insertMember(
  client: Client,
  { tenantId, accountId, role, joinedAt }: NewMemberRow,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into studio_members (tenant_id, account_id, role, joined_at) values ($1, $2, $3, $4)
     on conflict (tenant_id, account_id) do nothing`,
    [tenantId, accountId, role, new Date(joinedAt)],
  );
  return rowCount === 1;
}

export type MemberRow = {
  accountId: string;
  email: string;
  name: string;
  role: Role;
  joinedAt: number;
  hasSecondFactor: boolean;
};

/** A page of the members of a studio, and one row more if there is a next page. */
export async function listMembers(
  pool: Pool,
  tenantId: number,
  { after, limit }: Page,
): Promise<MemberRow[]> {
  return query<MemberRow>(
    pool,
    {
      name: 'list_members',
      text: `select m.account_id as "accountId", a.email, a.name, m.role, m.joined_at as "joinedAt",
               a.second_factor is not null as "hasSecondFactor"
             from (
               select * from studio_members
               where tenant_id between $1 and $1 and account_id > $2
               order by tenant_id, account_id
               limit $3
             ) m
             join lateral (select * from accounts a where a.id = m.account_id offset 0) a on true
             order by m.account_id`,
    },
    [tenantId, after ?? NIL_UUID, limit + 1],
  );
}

export async function isMemberByEmail(
  db: Pool | Client,
  tenantId: number,
  emailKey: string,
): Promise<boolean> {
  const rows = await query(
    db,
    {
      name: 'is_member_by_email',
      text: `select from accounts a
             join lateral (
               select from studio_members m where m.tenant_id = $1 and m.account_id = a.id offset 0
             ) m on true
             where a.email_key = $2`,
    },
    [tenantId, emailKey],
  );
  return rows.length > 0;
}

/** Serialises the changes of the members of a studio, so that two concurrent ones cannot leave it without an owner. */
export async function lockStudio(client: Client, tenantId: number): Promise<void> {
  await client.query('select from tenants where id = $1 for no key update', [tenantId]);
}

export async function findMember(
  client: Client,
  tenantId: number,
  accountId: string,
): Promise<MemberRow | undefined> {
  const { rows } = await client.query<MemberRow>(
    `select m.account_id as "accountId", a.email, a.name, m.role, m.joined_at as "joinedAt",
       a.second_factor is not null as "hasSecondFactor"
     from studio_members m join accounts a on a.id = m.account_id
     where m.tenant_id = $1 and m.account_id = $2`,
    [tenantId, accountId],
  );
  return rows[0];
}

export async function hasOtherOwner(client: Client, tenantId: number, accountId: string): Promise<boolean> {
  const { rows } = await client.query(
    `select from studio_members where tenant_id = $1 and role = 'owner' and account_id <> $2 limit 1`,
    [tenantId, accountId],
  );
  return rows.length > 0;
}

export async function updateMemberRole(
  client: Client,
  tenantId: number,
  accountId: string,
  role: Role,
): Promise<void> {
  await client.query('update studio_members set role = $3 where tenant_id = $1 and account_id = $2', [
    tenantId,
    accountId,
    role,
  ]);
}

export async function deleteMember(client: Client, tenantId: number, accountId: string): Promise<void> {
  await client.query('delete from studio_members where tenant_id = $1 and account_id = $2', [
    tenantId,
    accountId,
  ]);
}

export type ListedAccount = {
  email: string;
  name: string;
  tenant: string | null;
  role: Role | null;
  hasPassword: boolean;
  hasSecondFactor: boolean;
};

/** For operators: all accounts, with a row for each studio of an account; or the accounts of one studio. */
export async function listAccounts(pool: Pool, tenant?: string): Promise<ListedAccount[]> {
  const { rows } = await pool.query<ListedAccount>(
    `select a.email, a.name, t.slug as tenant, m.role, a.password_hash is not null as "hasPassword",
       a.second_factor is not null as "hasSecondFactor"
     from accounts a
     left join studio_members m on m.account_id = a.id
     left join tenants t on t.id = m.tenant_id
     where $1::text is null or t.slug = $1
     order by a.email_key, t.slug`,
    [tenant ?? null],
  );
  return rows;
}
