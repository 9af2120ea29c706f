/** As `setTimeout`, but in Node the timer does not keep a process alive that has nothing else to do. */
export function runLater(run: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(run, ms);
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
