/** What has to be undone when a run ends, however it ends, the last first: processes that run, folders that exist. */
const pending = new Set();

/** Gives a function that undoes it now; after that it is not undone again. */
export function undoing(undo) {
  const once = async () => {
    if (pending.delete(once)) await undo();
  };
  pending.add(once);
  return once;
}

/** Once: when an interrupt makes the work fail, its failure waits for the same end. */
let undone;
function undoAll() {
  undone ??= (async () => {
    for (const undo of [...pending].reverse()) await undo().catch(() => {});
  })();
  return undone;
}

/** Neither an error nor Ctrl-C leaves a process or a file behind. */
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
