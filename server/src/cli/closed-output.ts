const closing = new AbortController();

/**
 * Aborted when nothing can be written to standard output any more, mostly because its reader has all it wanted (`| head`).
 * A command still does what it was asked to do, and says the rest to nobody. One that does nothing but write ends.
 */
export const outputClosed: AbortSignal = closing.signal;

/** Without a listener for their errors, a closed pipe ends the process with a stack trace. */
export function watchOutput(): void {
  // Nobody is left who could be told.
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (outputClosed.aborted) return;
    closing.abort(error);
    if (error.code === 'EPIPE') return;
    process.stderr.write(`The output cannot be written: ${error.message}\n`);
    process.exitCode = 1;
  });
}

/** Whether work ended with nothing but the error that `watchOutput` has dealt with. */
export function isClosedOutput(error: unknown): boolean {
  return outputClosed.aborted && codeOf(error) === codeOf(outputClosed.reason);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : error;
}
