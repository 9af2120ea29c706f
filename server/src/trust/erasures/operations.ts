import type { OperationsContext, OperationsPart } from '../../studio/module-type.js';
import { adminErasureRoutes } from './admin-erasure-routes.js';
import { createErasureMetrics } from './erasure-metrics.js';
import { createErasureRunner } from './erasure-runner.js';
import { erasureStep } from './erasure-step.js';
import { createErasedListWriter, erasedListFile } from './list-file.js';

export function openErasures(ctx: OperationsContext): OperationsPart {
  const { pool, clock, logger, settings, signingKeys, erasureHashes: hashes } = ctx;
  const file = erasedListFile(settings);
  const runner = createErasureRunner({
    pool,
    clock,
    logger,
    signer: { issuer: settings.tokenIssuer, current: signingKeys.current },
    hashes,
    onErasing: createErasedListWriter(pool, file, clock.now, logger),
  });
  return {
    adminRoutes: [(app, admin) => adminErasureRoutes(app, { ...admin, erasureHashes: hashes })],
    steps: [erasureStep(file, hashes)],
    metrics: [createErasureMetrics(pool, clock)],
    start: runner.start,
    stop: runner.stop,
  };
}
