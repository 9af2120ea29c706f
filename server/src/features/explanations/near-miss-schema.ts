import { Type } from 'typebox';

/** What a player lacks for a segment or an offer; explanations and audiences tell it. */
export const NearMiss = Type.Object(
  {
    attribute: Type.String({ description: 'As the rule writes it' }),
    value: Type.Number({ description: 'What it is' }),
    operator: Type.String({ description: 'What it would have to be: `>`, `>=`, `<` or `<=` the threshold' }),
    threshold: Type.Number(),
    distance: Type.Number({ description: 'From the value to the threshold' }),
  },
  {
    title: 'NearMiss',
    description: 'The one number that keeps a player out, where all other conditions of the rule hold',
  },
);

export const NEAR_MISS_EXAMPLE = {
  attribute: 'purchases.total',
  value: 1,
  operator: '>=',
  threshold: 3,
  distance: 2,
};
