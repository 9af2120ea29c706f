/**
 * Whose players a model has learnt from: `prior` is the model that ships with the product, adjusted to the rates of this game; `pooled` is
 * between that model and the game's own players; `own` is decided by the game's own players.
 */
export type ModelSource = Readonly<{
  kind: (typeof SOURCE_KINDS)[number];
  /** How much of the coefficients the game's own players decide, from 0 to 1. */
  ownShare: number;
}>;

export const SOURCE_KINDS = ['prior', 'pooled', 'own'] as const;

/** Where the game's own players decide this much, the prior makes no difference that one could notice. */
const MIN_OWN_SHARE = 0.9;

export function sourceOf(hasOwnOutcomes: boolean, ownShare: number): ModelSource {
  if (!hasOwnOutcomes) return { kind: 'prior', ownShare: 0 };
  return { kind: ownShare < MIN_OWN_SHARE ? 'pooled' : 'own', ownShare };
}

/** For people: "other games and this one, whose players decide 42%". */
export function sourceText({ kind, ownShare }: ModelSource): string {
  if (kind === 'prior') return 'other games, adjusted to the rates of this one';
  if (kind === 'own') return 'the players of this game';
  return `other games and this one, whose players decide ${Math.round(100 * ownShare)}%`;
}
