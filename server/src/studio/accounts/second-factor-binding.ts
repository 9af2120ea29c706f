/** Binds a sealed second factor to its account: copied into the row of another account, it cannot be unsealed. */
export function secondFactorBinding(accountId: string): string {
  return `second-factor:${accountId}`;
}
