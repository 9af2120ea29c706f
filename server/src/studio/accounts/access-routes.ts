import type { FastifyInstance } from 'fastify';
import type { AdminContext } from '../admin-api/admin-context.js';
import { acceptRoutes } from './accept-routes.js';
import type { AccountContext } from './account-context.js';
import { accountRoutes } from './account-routes.js';
import { invitationRoutes } from './invitation-routes.js';
import { memberRoutes } from './member-routes.js';
import { ownSessionRoutes } from './own-session-routes.js';
import { recoveryCodeRoutes } from './recovery-code-routes.js';
import { createSignInGuesses } from './sign-in-guesses.js';
import { signInRoutes } from './sign-in-routes.js';

type AccountRoutes = (app: FastifyInstance, ctx: AccountContext) => void;

const ROUTES: readonly AccountRoutes[] = [
  signInRoutes,
  accountRoutes,
  recoveryCodeRoutes,
  ownSessionRoutes,
  memberRoutes,
  invitationRoutes,
  acceptRoutes,
];

/** Accounts, and the members of a studio. Wrong guesses are counted in memory, until the process ends. */
export function accessRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const guesses = createSignInGuesses(ctx.clock, () => ctx.metrics.signIns.inc({ outcome: 'slowed' }));
  for (const routes of ROUTES) routes(app, { ...ctx, guesses });
}
