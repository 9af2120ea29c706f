import type { Pool } from '../../db/pool.js';
import type { Publication } from '../../personalisation/compile/compile-document.js';
import type { ConfigDocument } from '../../personalisation/document/document.js';
import { findConfigVersion, findConfigVersionAt } from '../game-configs/config-queries.js';
import { findDraft } from '../game-configs/draft.js';
import { nextSegmentVersions } from '../game-configs/segment-versions.js';

/** A version's number, the draft, or undefined: the version that was in force. */
export type WantedVersion = number | 'draft' | undefined;

export type ExplainedDocument = Readonly<{ document: ConfigDocument; publication: Publication }>;

/** Undefined if there is no such version. */
export async function findDocument(
  pool: Pool,
  gameId: number,
  wanted: WantedVersion,
  { atMs, nowMs }: { atMs: number; nowMs: number },
): Promise<ExplainedDocument | undefined> {
  if (wanted === 'draft') return draftAsIfPublished(pool, gameId, { atMs, nowMs });
  const found =
    wanted === undefined
      ? await findConfigVersionAt(pool, gameId, atMs)
      : await findConfigVersion(pool, gameId, wanted);
  return found && { document: found.document, publication: found };
}

/** The draft as if it were published at the moment of the question. */
async function draftAsIfPublished(
  pool: Pool,
  gameId: number,
  { atMs, nowMs }: { atMs: number; nowMs: number },
): Promise<ExplainedDocument> {
  const [draft, inForce] = await Promise.all([
    findDraft(pool, gameId),
    findConfigVersionAt(pool, gameId, nowMs),
  ]);
  const { document } = draft;
  const segmentVersions = nextSegmentVersions(inForce, document);
  return { document, publication: { version: inForce.version + 1, publishedAt: atMs, segmentVersions } };
}
