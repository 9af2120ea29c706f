import type { FastifyReply } from 'fastify';
import { ApiError, type ErrorCode } from '../../platform/errors.js';
import { hangUpOf } from '../../platform/http/hang-up.js';
import { type ExportQuestion, exportPieces } from './export-pieces.js';
import type { PlayerExports } from './player-exports.js';
import { type SendOutcome, sendExport } from './send-export.js';

/** Most exports take less. */
const RETRY_AFTER_SECONDS = 5;

type ExportRequest = ExportQuestion &
  Readonly<{
    /** Whose exports wait for each other. */
    studio: number | string;
    /** What a client is told if too many of the studio wait. */
    tooMany: ErrorCode;
    /** Called before the first byte is sent; throws to refuse the request. */
    begin: () => Promise<void>;
  }>;

/** Responds with the export of a player. Resolves when the response is over. */
export async function respondWithExport(
  exports: PlayerExports,
  reply: FastifyReply,
  { studio, tooMany, begin, ...question }: ExportRequest,
): Promise<SendOutcome> {
  const signal = hangUpOf(reply);
  let outcome: SendOutcome | undefined;
  const running = exports.run(studio, signal, async (client, stopping) => {
    const pieces = await exportPieces(client, question);
    if (pieces === undefined) throw new ApiError('player_not_found');
    await begin();
    outcome = await sendExport(reply, pieces, { userId: question.userId, stopping });
  });
  if (running === undefined) {
    throw new ApiError(tooMany, { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } });
  }
  try {
    await running;
  } catch (error) {
    // With an outcome the response is over, and its client has noticed that it is not complete.
    if (outcome !== undefined) return outcome;
    // Only for the log: the client has disconnected.
    throw signal.aborted ? new ApiError('request_timeout', { cause: error }) : error;
  }
  return outcome ?? 'failed';
}
