import type { OperationsPart } from '../../studio/module.js';
import { liveRoutes } from './live-routes.js';

export function openLive(): OperationsPart {
  return { adminRoutes: [liveRoutes] };
}
