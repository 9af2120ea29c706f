import { beta, gamma } from '../../simulator/dist/model/random.js';

/**
 * Games whose parameters are known: players are active by BG/BB, and buy by MBG/NBD and Gamma-Gamma. Payers are slow, and are watched for more
 * than a year: with few purchases in a short time, quite different a and b explain what happened equally well.
 */
export const TRUTH = {
  bgBb: { alpha: 1.1, beta: 1.6, gamma: 0.7, delta: 9 },
  mbgNbd: { r: 0.9, alpha: 200, a: 0.8, b: 2.5 },
  gammaGamma: { p: 5, q: 4, v: 12 },
};
export const BUYING_DAYS = 600;

/** The same for payers who are watched for some weeks only, as long as events are counted on their own day. */
export const SHORT_TRUTH = { ...TRUTH, mbgNbd: { ...TRUTH.mbgNbd, alpha: 40 } };

export const PAYER_SHARE = 0.25;
/** Players join in the first days of the game. */
const JOINING_DAYS = 60;

/** The days with a visit; the first of them is the player's first day. */
export function drawVisits(random, startDay, endDay, { alpha, beta: silent, gamma: leaving, delta }) {
  const firstDay = startDay + Math.floor(random() * Math.min(JOINING_DAYS, (endDay - startDay) / 2));
  const active = beta(random, alpha, silent);
  const leave = beta(random, leaving, delta);
  const visits = [firstDay];
  for (let day = firstDay + 1; day < endDay && random() >= leave; day++) {
    if (random() < active) visits.push(day);
  }
  return visits;
}

/**
 * The days with a purchase and what was spent on them. The first is one of the first `firstDays` days. The service knows whole days, and the model
 * has no two purchases at a time: time passes from the end of the first day on, a purchase is on the day in which its time falls, and
 * one whose day has a purchase already is on the next day. So all that was bought until the end of a day is known then, and no purchase
 * is lost because it shares its day with another, as nearly one of forty would with an alpha of 40.
 */
export function drawPurchases(random, startDay, endDay, firstDays, { mbgNbd, gammaGamma }) {
  const rate = gamma(random, mbgNbd.r) / mbgNbd.alpha;
  const stop = beta(random, mbgNbd.a, mbgNbd.b);
  const scale = gamma(random, gammaGamma.q) / gammaGamma.v;
  const firstDay = startDay + Math.floor(random() * firstDays);
  const purchases = new Map();
  let time = 0;
  for (let day = firstDay; day < endDay; ) {
    purchases.set(day, Math.max(0.01, gamma(random, gammaGamma.p) / scale).toFixed(2));
    if (random() < stop) break;
    time += -Math.log(1 - random()) / rate;
    day = Math.max(day + 1, firstDay + Math.ceil(time));
  }
  return purchases;
}
