import { HOUR_MS } from '../../../platform/lib/day.js';
import {
  type GoogleAccount,
  type GoogleApi,
  GoogleUnavailableError,
} from '../../../platform/lib/google-play/google-api.js';

export type TestedAccount = Readonly<{ isWorking: boolean; message: string }>;

/** Asks Google for a token and for one voided purchase, and says what came of it. Changes nothing. */
export async function testAccount(
  api: GoogleApi,
  account: GoogleAccount | undefined,
  nowMs: number,
): Promise<TestedAccount> {
  if (account === undefined)
    return { isWorking: false, message: 'The game has no service account, or no settings for Google.' };
  try {
    await api.listVoided(account, { fromMs: nowMs - HOUR_MS, toMs: nowMs, page: null, pageSize: 1 });
    return { isWorking: true, message: `Google accepts the account for ${account.packageName}.` };
  } catch (error) {
    if (!(error instanceof GoogleUnavailableError)) throw error;
    return { isWorking: false, message: error.message };
  }
}
