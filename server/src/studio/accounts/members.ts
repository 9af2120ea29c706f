import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Client, type Pool, transaction } from '../../platform/db/pool.js';
import {
  listTokensOfMember,
  type TokenOfMember,
  withdrawInvitationsOfMember,
} from '../admin-api/owner-rights.js';
import type { Role } from '../admin-api/roles.js';
import {
  deleteMember,
  findMember,
  hasOtherOwner,
  lockStudio,
  type MemberRow,
  updateMemberRole,
} from './member-queries.js';

/** The last owner can neither be removed nor demoted: no member could give the studio an owner again. */
export type MemberChange =
  | ({ outcome: 'changed'; member: MemberRow } & HandedOut)
  | { outcome: 'no_such_member' }
  | { outcome: 'last_owner' };

/** The rights that the member has given to others as an owner: see `owner-rights.ts`. */
export type HandedOut = {
  invitationsWithdrawn: number;
  /** The admin tokens that the member made and that still work. */
  adminTokens: TokenOfMember[];
};

type Place = Readonly<{ tenantId: number; accountId: string }>;

/** Setting the same role again writes no audit entry. */
export function changeRole(pool: Pool, place: Place, role: Role, actor: Actor): Promise<MemberChange> {
  return change(pool, place, role, actor, async (client, member) => {
    if (member.role === role) return;
    await updateMemberRole(client, place.tenantId, place.accountId, role);
    await insertAuditEntry(client, actor, {
      tenantId: place.tenantId,
      gameId: null,
      action: 'member.update',
      target: `member ${member.email}`,
      before: { role: member.role },
      after: { role },
    });
  });
}

/** Takes effect with the next request. The account itself stays, because it may belong to other studios. */
export function removeMember(pool: Pool, place: Place, actor: Actor): Promise<MemberChange> {
  return change(pool, place, null, actor, async (client, member) => {
    await deleteMember(client, place.tenantId, place.accountId);
    await insertAuditEntry(client, actor, {
      tenantId: place.tenantId,
      gameId: null,
      action: 'member.remove',
      target: `member ${member.email}`,
      before: { name: member.name, role: member.role },
      after: null,
    });
  });
}

function change(
  pool: Pool,
  { tenantId, accountId }: Place,
  role: Role | null,
  actor: Actor,
  work: (client: Client, member: MemberRow) => Promise<void>,
): Promise<MemberChange> {
  return transaction(pool, async (client): Promise<MemberChange> => {
    await lockStudio(client, tenantId);
    const member = await findMember(client, tenantId, accountId);
    if (member === undefined) return { outcome: 'no_such_member' };
    const losesOwner = member.role === 'owner' && role !== 'owner';
    if (losesOwner && !(await hasOtherOwner(client, tenantId, accountId))) return { outcome: 'last_owner' };
    await work(client, member);
    const changed = { outcome: 'changed', member: { ...member, role: role ?? member.role } } as const;
    if (role === 'owner') return { ...changed, invitationsWithdrawn: 0, adminTokens: [] };
    return {
      ...changed,
      invitationsWithdrawn: await withdrawInvitationsOfMember(client, tenantId, accountId, actor),
      adminTokens: await listTokensOfMember(client, tenantId, accountId, actor.nowMs),
    };
  });
}
