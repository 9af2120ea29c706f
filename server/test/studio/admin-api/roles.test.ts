import { describe, expect, it } from 'vitest';
import { isAtLeast, ROLES, type Role } from '../../../src/studio/admin-api/roles.js';

describe('a role', () => {
  it('has its own rights and those of the roles below it', () => {
    const allowed = ROLES.map((role) => ROLES.filter((needed) => isAtLeast(role, needed)));
    expect(allowed).toEqual([['viewer'], ['viewer', 'editor'], ['viewer', 'editor', 'owner']]);
  });

  it('that a route asks for and nobody knows lets nobody in', () => {
    for (const role of ROLES) expect(isAtLeast(role, 'admin' as Role)).toBe(false);
    expect(isAtLeast('admin' as Role, 'viewer')).toBe(false);
  });
});
