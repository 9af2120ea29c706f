import type { OperationsPart } from '../../studio/module-type.js';
import { eventSchemaRoutes } from './event-schema-routes.js';
import { eventTypeRoutes } from './event-type-routes.js';

export function openEventTypes(): OperationsPart {
  return { adminRoutes: [eventTypeRoutes, eventSchemaRoutes] };
}
