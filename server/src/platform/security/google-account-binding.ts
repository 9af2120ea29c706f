/** What the key of a game's service account of Google is sealed for. */
export function accountBinding(gameId: number): string {
  return `google-account:${gameId}`;
}
