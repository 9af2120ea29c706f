import type { ExperimentEntry } from '../../decide/document/parts/experiments.js';
import type { Report } from '../report/report-types.js';

/** The admin API, for the verdict. */
export type Admin = Readonly<{ url: string; token: string }>;

export type Shown = {
  experiment: ExperimentEntry;
  sentence: string;
  report: Report | null;
  isFormer: boolean;
};

/** An experiment by the API; `why` follows `the admin API at …`. */
export type Answer =
  | Readonly<{ ok: true; shown: Shown }>
  | Readonly<{ ok: false; code: string | undefined; why: string }>;

/** By the API, because a command has no database any more after Ctrl-C. */
export async function askExperiment(
  { url, token }: Admin,
  game: string,
  experimentId: string,
): Promise<Answer> {
  const path = `/admin/v1/games/${encodeURIComponent(game)}/experiments/${encodeURIComponent(experimentId)}`;
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(url + path, { headers }).catch(() => undefined);
  if (response === undefined) return { ok: false, code: undefined, why: 'does not respond.' };
  const body = (await response.json().catch(() => ({}))) as {
    data?: Shown;
    /** A plain text with status 401. */
    error?: { code: string; message: string } | string;
  };
  if (response.ok && body.data !== undefined) return { ok: true, shown: body.data };
  const { code, message } = typeof body.error === 'object' ? body.error : { message: body.error };
  const words = message === undefined ? '.' : `: ${message}`;
  return { ok: false, code, why: `responds with status ${response.status}${words}` };
}
