import type { OperationsPart } from '../../studio/module-type.js';
import { timelineRoutes } from './timeline-routes.js';

export function openTimelines(): OperationsPart {
  return { adminRoutes: [timelineRoutes] };
}
