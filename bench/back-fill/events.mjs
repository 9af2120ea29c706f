// Events of the trial. Times are in no order, a part of them is late by up to three weeks, and some values have another type than the rest.
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Numbers that look random and are the same in every run. */
export function createRandom(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** An event that is received at an instant. `n` makes it differ from all others. */
export function eventAt(receivedAtMs, n, random) {
  const lateMs = random(20) === 0 ? random(21 * DAY_MS) : random(6 * HOUR_MS);
  const timestamp = new Date(receivedAtMs - lateMs).toISOString();
  const kind = random(10);
  if (kind === 0) return { eventType: 'Session_Start', timestamp, payload: { n } };
  if (kind < 3) {
    const metadata = random(10) === 0 ? {} : { clientBuild: `1.${random(30)}.${random(3)}` };
    return { eventType: 'Boss', timestamp, payload: { n }, metadata };
  }
  const payload = {
    n,
    level: random(40) === 0 ? 'max' : random(40) === 0 ? null : random(90),
    won: random(30) === 0 ? 'yes' : random(2) === 0,
    gold: random(2000) - 800,
    time: random(100_000) / 1000,
    stats: { map: `map-${random(20)}` },
  };
  return { eventType: 'Level_Up', timestamp, payload };
}

/** How many events each player has: one has 200,000, some have thousands, most have a few dozen or hundred, some have none. */
export function sizesOf(players, events) {
  const giants = [Math.min(200_000, Math.floor(events / 10)), ...Array(10).fill(Math.floor(events / 250))];
  const weights = Array.from({ length: players - giants.length }, (_, index) => {
    if (index % 100 === 0) return 0;
    return index % 100 === 1 ? 30 : index % 5 === 0 ? 5 : 1;
  });
  const left = events - giants.reduce((sum, size) => sum + size, 0);
  const unit = left / weights.reduce((sum, weight) => sum + weight, 0);
  return [...giants, ...weights.map((weight) => Math.round(weight * unit))];
}
