import type { OperationsPart } from '../../../studio/module-type.js';
import { forecastRoutes } from './forecast-routes.js';

export function openForecast(): OperationsPart {
  return { adminRoutes: [forecastRoutes] };
}
