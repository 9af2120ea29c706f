import type { Attribute } from './attribute.js';
import { TIME_BASIS } from './time-basis.js';

/** A hash, or a rule that is counted by itself. Each arm is worked out once per decision. */
const ARM_COST = 10;

/** The arm of a player in an experiment. It is decided when a rule asks for it, and the decision notes that it was asked for. */
export const EXPERIMENT_ARMS: Attribute = {
  name: 'experiments',
  usage: 'experiment("price_test")',
  type: 'map<string, string>',
  description:
    'The id of the variant of an experiment that the player gets; "" for players who are not in it.',
  key: 'experimentId',
  fields: [],
  value: {
    type: 'string',
    basis: TIME_BASIS.never,
    workCost: ARM_COST,
    readerOf: (experimentId) => (attributes) => {
      const variantId = attributes.arms.variantOf(experimentId);
      attributes.requireDecided('experiment', experimentId);
      return variantId;
    },
    factsOf: () => [],
  },
};
