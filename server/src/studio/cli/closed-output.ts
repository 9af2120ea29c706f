const closing = new AbortController();

/**
 * Aborted when nothing can be written to standard output any more, mostly because its reader has closed the pipe (`| head`).
 * A command still does its work, and prints nothing more. A command that only prints ends.
 */
export const outputClosed: AbortSignal = closing.signal;

/** Without a listener for their errors, a closed pipe ends the process with a stack trace. */
export function watchOutput(): void {
  // The output is closed, so there is nowhere to report it.
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (outputClosed.aborted) return;
    closing.abort(error);
    if (error.code === 'EPIPE') return;
    process.stderr.write(`The output cannot be written: ${error.message}\n`);
    process.exitCode = 1;
  });
}

/** Whether work ended with nothing but the error that `watchOutput` has handled. */
export function isClosedOutput(error: unknown): boolean {
  return outputClosed.aborted && codeOf(error) === codeOf(outputClosed.reason);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : error;
}
