import type { OperationsPart } from '../../studio/module-type.js';
import { lossRoutes } from './loss-routes.js';

export function openLosses(): OperationsPart {
  return { adminRoutes: [lossRoutes] };
}
