/** What is needed of the router's history. */
type History = { subscribe(listener: (change: { action: { type: string } }) => void): unknown };

let returning = false;

/** From now on, the last step through the history is known. */
export function watchVisits(history: History): void {
  history.subscribe(({ action }) => {
    returning = action.type !== 'PUSH' && action.type !== 'REPLACE';
  });
}

/** Whether this page was reached by the browser's buttons back and forward, so that it is scrolled to where it was left. */
export const isReturning = (): boolean => returning;
