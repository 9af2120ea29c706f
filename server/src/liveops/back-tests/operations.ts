import type { OperationsPart } from '../../studio/module.js';
import { backTestRoutes } from './back-test-routes.js';

export function openBackTests(): OperationsPart {
  return { adminRoutes: [backTestRoutes] };
}
