import { hostname, userInfo } from 'node:os';
import type { Actor } from '../admin/audit-log.js';

/** The actor in the audit log for what a command changes: `ada@build-7`. */
export function commandActor(): Actor {
  return { name: `${currentUser()}@${hostname()}`, nowMs: Date.now() };
}

export function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return 'cli';
  }
}
