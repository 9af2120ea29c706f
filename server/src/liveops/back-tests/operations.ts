import type { OperationsPart } from '../../studio/module-type.js';
import { backTestRoutes } from './back-test-routes.js';

export function openBackTests(): OperationsPart {
  return { adminRoutes: [backTestRoutes] };
}
