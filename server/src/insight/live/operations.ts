import type { OperationsPart } from '../../studio/module-type.js';
import { liveRoutes } from './live-routes.js';

export function openLive(): OperationsPart {
  return { adminRoutes: [liveRoutes] };
}
