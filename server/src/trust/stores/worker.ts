import type { WorkerContext, WorkerPart } from '../../studio/module-type.js';
import { notificationRoutes } from './notification-routes.js';
import { createPushTokens } from './push-tokens.js';

export function openNotifications(ctx: WorkerContext): WorkerPart {
  const pushTokens = createPushTokens(ctx.settings.googleKeysUrl);
  return { routes: (scope) => notificationRoutes(scope, { ...ctx, pushTokens }) };
}
