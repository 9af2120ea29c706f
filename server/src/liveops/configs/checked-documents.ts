import { createHash } from 'node:crypto';
import { documentWork } from '../../core/configs/document-work.js';
import type { ConfigDocument } from '../../decide/document/document.js';
import { type Validation, validationSteps } from '../../decide/validate/validate-document.js';
import { createFifoMap } from '../../platform/lib/fifo-map.js';
import type { SliceQueue } from '../../platform/lib/slice-queue.js';

/** Of games, each with a digest of the document that was found right last. */
const foundRight = createFifoMap<number, string>();
const MAX_GAMES = 1_000;

/**
 * Validates a document, unless it is the one that this process found right last. What an editor saves is published a moment later, and once
 * more if something has to be confirmed.
 */
export async function validateOnce(
  gameId: number,
  document: unknown,
  work: SliceQueue = documentWork,
): Promise<Validation> {
  const digest = createHash('sha256').update(JSON.stringify(document)).digest('base64');
  if (foundRight.get(gameId) === digest) return { ok: true, document: document as ConfigDocument };
  const validation = await work.run(gameId, validationSteps(document));
  if (validation.ok) foundRight.set(gameId, digest);
  if (foundRight.size > MAX_GAMES) foundRight.delete(foundRight.oldest()?.[0] ?? gameId);
  return validation;
}
