import { lockGame } from '../../core/configs/config-queries.js';
import { findCurrentState, findModel, insertNextState } from '../../core/predictions/model-queries.js';
import { readArtefact } from '../../decide/predict/read-artefact.js';
import { type Actor, insertAuditEntry } from '../../platform/admin-api/audit-log.js';
import { type Pool, transaction } from '../../platform/db/pool.js';

export type ModelRollback = Readonly<{ gameId: number; version: number }>;

export type ModelRollbackOutcome =
  | Readonly<{ outcome: 'rolled_back'; version: number; before: number }>
  | Readonly<{ outcome: 'unchanged'; version: number }>
  | Readonly<{ outcome: 'no_such_model' }>
  /** The artefact was made by a build with other features. */
  | Readonly<{ outcome: 'unusable'; problem: string }>;

/**
 * Puts the artefact of an older training in force again. Where a model of that training was refused, the artefact has the model that
 * was kept instead: a refused model is in the report only, and never makes predictions. The models are trusted until they are graded,
 * because the operator decided so. The next training replaces them only if it is better.
 */
export async function rollBackModel(
  pool: Pool,
  { gameId, version }: ModelRollback,
  actor: Actor,
): Promise<ModelRollbackOutcome> {
  return transaction(pool, async (client) => {
    const { tenantId } = await lockGame(client, gameId);
    const model = await findModel(client, gameId, version);
    const current = await findCurrentState(client, gameId);
    if (model === undefined || current === undefined) return { outcome: 'no_such_model' };
    const reading = readArtefact(model.artefact);
    if (!reading.readable) return { outcome: 'unusable', problem: reading.problem };
    if (current.modelVersion === version) return { outcome: 'unchanged', version };
    await insertNextState(client, gameId, {
      since: actor.nowMs,
      author: actor.name,
      cause: 'roll_back',
      modelVersion: version,
      distrusted: [],
    });
    await insertAuditEntry(client, actor, {
      tenantId,
      gameId,
      action: 'model.roll_back',
      target: `model ${version}`,
      before: { inForce: current.modelVersion },
      after: { inForce: version },
    });
    return { outcome: 'rolled_back', version, before: current.modelVersion };
  });
}
