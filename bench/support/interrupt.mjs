/** What has to be undone when a run ends in any way, the last first: processes to stop, folders to delete. */
const pending = new Set();

/** Returns a function that undoes it now; it is then not undone again. Throws once the run is ending: nothing is begun then. */
export function undoing(undo) {
  if (undone !== undefined) {
    void undo();
    throw new Error('the run was interrupted');
  }
  const once = async () => {
    if (pending.delete(once)) await undo();
  };
  pending.add(once);
  return once;
}

/** Runs once: when an interrupt makes the work fail, the failure waits for the same clean-up. */
let undone;
function undoAll() {
  undone ??= (async () => {
    for (const undo of [...pending].reverse()) await undo().catch(() => {});
  })();
  return undone;
}

/** Cleans up also after an error and after Ctrl-C. */
export async function runAndCleanUp(work) {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, async () => {
      await undoAll();
      process.exit(130);
    });
  }
  try {
    await work();
  } finally {
    await undoAll();
  }
}
