import type { Module, OperationsContext, OperationsPart } from '../studio/module-type.js';

export type Operations = Required<OperationsPart>;

/** What all modules do in the operations process, made and not begun. */
export async function openOperations(
  modules: readonly Module[],
  ctx: OperationsContext,
): Promise<Operations> {
  const parts: OperationsPart[] = [];
  for (const { operations } of modules) if (operations !== undefined) parts.push((await operations())(ctx));
  return {
    adminRoutes: parts.flatMap(({ adminRoutes = [] }) => adminRoutes),
    steps: parts.flatMap(({ steps = [] }) => steps),
    frequent: parts.flatMap(({ frequent = [] }) => frequent),
    stepsApart: parts.flatMap(({ stepsApart = [] }) => stepsApart),
    metrics: parts.flatMap(({ metrics = [] }) => metrics),
    async start() {
      for (const part of parts) await part.start?.();
    },
    async stop() {
      for (const part of parts) await part.stop?.();
    },
  };
}
