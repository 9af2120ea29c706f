import type { OperationsPart } from '../../studio/module.js';
import { lossRoutes } from './loss-routes.js';

export function openLosses(): OperationsPart {
  return { adminRoutes: [lossRoutes] };
}
