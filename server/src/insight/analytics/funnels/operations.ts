import type { OperationsPart } from '../../../studio/module-type.js';
import { funnelRoutes } from './funnel-routes.js';

export function openFunnels(): OperationsPart {
  return { adminRoutes: [funnelRoutes] };
}
