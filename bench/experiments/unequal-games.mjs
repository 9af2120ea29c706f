import { addValue, emptyArm, normalOf, randomOf } from './simulated-arms.mjs';

/**
 * Games with a small arm and large spenders: 10% of the players pay, and a payer buys something on one day in ten, for a log-normal amount (sigma
 * 1.2). Of the payers `whales` pay 60 times as much. An effect makes one of the arms pay more. Like simulated-arms.mjs it imports nothing
 * of the engine.
 */
const PAYING = 0.1;
const BUYS_A_DAY = 0.1;
const SIGMA = 1.2;
const WHALE_TIMES = 60;

const KINDS = {
  whales: { whales: 0.02 },
  'no whales': { whales: 0 },
};

const ofEachKind = (settings) =>
  settings.flatMap(([name, game]) =>
    Object.entries(KINDS).map(([kind, spend]) => [`${name}, ${kind}`, { ...game, ...spend }]),
  );

/** `share`: of the small arm. `isHoldout`: it is the hold-out of the store, compared with the rest; else it is an arm beside a larger control. */
export const WITHOUT_EFFECT = ofEachKind([
  ['hold-out of 10% of 4,000 + 60 a day', { share: 0.1, players: 4_000, perDay: 60, isHoldout: true }],
  ['hold-out of 5% of 20,000', { share: 0.05, players: 20_000, perDay: 0, isHoldout: true }],
  ['hold-out of 5% of 7,000: about 35 payers', { share: 0.05, players: 7_000, perDay: 0, isHoldout: true }],
  ['experiment 9:1, 200 a day', { share: 0.1, players: 0, perDay: 200, isHoldout: false }],
  ['experiment 19:1, 400 a day', { share: 0.05, players: 0, perDay: 400, isHoldout: false }],
  ['experiment 1:1, 200 a day', { share: 0.5, players: 0, perDay: 200, isHoldout: false }],
]);

const LARGE = { players: 12_000, perDay: 60 };
const [EXPERIMENT, HOLDOUT] = [false, true].map((isHoldout) => ({ ...LARGE, isHoldout }));

/** `inSmall` and `inLarge`: what players of the arm pay, as a factor. */
export const WITH_EFFECT = ofEachKind([
  ['experiment 1:1, +30%', { ...EXPERIMENT, share: 0.5, inSmall: 1.3 }],
  ['experiment 1:1, +60%', { ...EXPERIMENT, share: 0.5, inSmall: 1.6 }],
  ['experiment 9:1, +60% in the small arm', { ...EXPERIMENT, share: 0.1, inSmall: 1.6 }],
  ['experiment 9:1, −40% in the small arm', { ...EXPERIMENT, share: 0.1, inSmall: 0.6 }],
  ['hold-out of 10%, +60% in the rest', { ...HOLDOUT, share: 0.1, inLarge: 1.6 }],
  ['hold-out of 10%, +100% in the rest', { ...HOLDOUT, share: 0.1, inLarge: 2 }],
]);

/**
 * Plays a game, and shows the arms after each day, the small one first. Sums are carried on from day to day: a look costs what the
 * payers of a day cost. Ends early if `onLook` returns true.
 */
export function playGame({ game, seed, days, bucketOf, onLook }) {
  const { share, players, perDay, whales, inSmall = 1, inLarge = 1 } = game;
  const random = randomOf(seed);
  const arms = [emptyArm(), emptyArm()];
  const payers = [];
  const arrive = (count) => {
    for (let player = 0; player < count; player += 1) {
      const at = random() < share ? 0 : 1;
      arms[at].players += 1;
      if (random() >= PAYING) continue;
      const times = random() < whales ? WHALE_TIMES : 1;
      payers.push({ arm: arms[at], factor: times * (at === 0 ? inSmall : inLarge), spent: 0 });
    }
  };
  arrive(players);
  for (let day = 1; day <= days; day += 1) {
    if (day > 1) arrive(perDay);
    for (const payer of payers) {
      if (random() >= BUYS_A_DAY) continue;
      if (payer.spent > 0) addValue(payer.arm, payer.spent, bucketOf, -1);
      payer.spent += payer.factor * Math.exp(SIGMA * normalOf(random));
      addValue(payer.arm, payer.spent, bucketOf);
    }
    if (onLook(arms, day)) return;
  }
}
