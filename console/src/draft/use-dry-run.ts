import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiProblem, type RequestOf, type Schemas, send } from '../api/client.js';
import { useStudioAndGame } from '../api/hooks.js';
import { jsonLines } from '../api/json-lines.js';

type DryRunResult = Schemas['DryRunResult'];
type DryRunState = {
  progress: { examined: number; total: number } | null;
  result: DryRunResult | null;
  problem: ApiProblem | null;
};

const NOTHING: DryRunState = { progress: null, result: null, problem: null };

/** A short dry run of a document that is not saved: it stops when the panel is closed. That of the draft is a job. */
export function useDryRun() {
  const { studio, game } = useStudioAndGame();
  const [state, setState] = useState<DryRunState & { isRunning: boolean }>({ ...NOTHING, isRunning: false });
  const running = useRef<AbortController>(undefined);
  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const start = useCallback(
    async (body: RequestOf<'dryRun'>['body']) => {
      stop();
      const leaving = new AbortController();
      running.current = leaving;
      setState({ ...NOTHING, isRunning: true });
      try {
        const request = { params: { game }, ...(body === undefined ? {} : { body }) };
        const response = await send('dryRun', request, { studio, signal: leaving.signal });
        for await (const line of jsonLines(response)) {
          const { progress, result, error } = line as Partial<DryRunState> & {
            error?: { code: string; message: string };
          };
          if (error !== undefined) throw new ApiProblem(500, error.code, error.message);
          if (result != null) setState({ ...NOTHING, result, isRunning: false });
          else if (progress != null) setState({ ...NOTHING, progress, isRunning: true });
        }
      } catch (problem) {
        if (leaving.signal.aborted) return;
        const told =
          problem instanceof ApiProblem ? problem : new ApiProblem(0, 'unreachable', String(problem));
        setState({ ...NOTHING, problem: told, isRunning: false });
      }
    },
    [stop, studio, game],
  );
  return { ...state, start, stop };
}
