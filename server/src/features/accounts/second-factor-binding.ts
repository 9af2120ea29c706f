/** What a sealed second factor is bound to: copied into the row of another account, it does not open. */
export function secondFactorBinding(accountId: string): string {
  return `second-factor:${accountId}`;
}
