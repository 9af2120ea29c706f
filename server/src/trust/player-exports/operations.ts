import type { OperationsPart } from '../../studio/module-type.js';
import { adminPlayerExportRoutes } from './admin-player-export-routes.js';

export function openPlayerExports(): OperationsPart {
  return { adminRoutes: [adminPlayerExportRoutes] };
}
