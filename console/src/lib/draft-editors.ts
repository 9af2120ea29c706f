import type { Schemas } from '../api/client.js';

/** Another window that has the draft open, in which another person or the same one may edit. */
export type OtherEditor = {
  email: string;
  name: string;
  /** The viewer's own account, in another window. */
  isYou: boolean;
  /** Of the last change there that is not saved. */
  changedAt: string | null;
  /** Of the saved draft, if this person saved it last. */
  savedAt: string | null;
};

type DraftNow = Pick<Schemas['Draft'], 'isEdited' | 'updatedByEmail' | 'updatedAt'>;

/** The other windows with the draft, one line for each person; those with changes that are not saved come first. */
export function otherEditors(
  { isEdited, updatedByEmail, updatedAt }: DraftNow,
  editors: readonly Schemas['DraftEditor'][],
  { windowId, email: ownEmail }: { windowId: string; email: string | undefined },
): OtherEditor[] {
  const byEmail = new Map<string, OtherEditor>();
  for (const { email, name, changedAt, ...each } of editors) {
    if (each.windowId === windowId) continue;
    const former = byEmail.get(email)?.changedAt ?? null;
    const isYou = email === ownEmail;
    byEmail.set(email, {
      email,
      name,
      isYou,
      changedAt: later(former, changedAt),
      savedAt: isEdited && !isYou && updatedByEmail === email ? updatedAt : null,
    });
  }
  return [...byEmail.values()].sort(
    (a, b) => Number(b.changedAt !== null) - Number(a.changedAt !== null) || a.name.localeCompare(b.name),
  );
}

function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return Date.parse(one) < Date.parse(other) ? other : one;
}
