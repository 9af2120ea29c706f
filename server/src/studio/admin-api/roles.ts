/** The roles in a studio, from the fewest rights to the most. */
export const ROLES = ['viewer', 'editor', 'owner'] as const;
export type Role = (typeof ROLES)[number];

export function isAtLeast(role: Role, needed: Role): boolean {
  // A role that is not known has no place in the order, and must not let anybody in.
  return ROLES.includes(needed) && ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
