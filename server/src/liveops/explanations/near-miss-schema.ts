import { Type } from 'typebox';

/** What a player lacks for a segment or an offer. Part of explanations and audiences. */
export const NearMiss = Type.Object(
  {
    attribute: Type.String({ description: 'The attribute, as the rule writes it' }),
    value: Type.Number({ description: 'The value for this player' }),
    operator: Type.String({
      description: 'How the value must compare with the threshold: `>`, `>=`, `<` or `<=`',
    }),
    threshold: Type.Number(),
    distance: Type.Number({ description: 'The distance from the value to the threshold' }),
  },
  {
    title: 'NearMiss',
    description: 'The one number that keeps a player out while all other conditions of the rule are true',
  },
);

export const NEAR_MISS_EXAMPLE = {
  attribute: 'purchases.total',
  value: 1,
  operator: '>=',
  threshold: 3,
  distance: 2,
};
