// Writes the history of players by the functions that apply events of requests.
import { applyEvents } from '../../server/dist/core/events/apply/apply-events.js';
import { checkEvents } from '../../server/dist/core/events/intake/check-events.js';
import { recordsOfPlayer } from '../../server/dist/core/events/intake/event-record.js';
import { ensureDays } from '../../server/dist/core/events/storage/event-partitions.js';
import { createRandom, eventAt } from './events.mjs';

const DAY_MS = 86_400_000;
const DAYS = 60;
/** Of a player on a day: a long one. Most of the cost is for each day of a player. */
const EVENTS_PER_DAY = 100;
const EVENTS_PER_GROUP = 4_000;

/** `sizes`: how many events each of the players gets, over the last 60 days. */
export async function writeHistory(pool, players, sizes, nowMs) {
  const random = createRandom(11);
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
  await ensureDays(
    pool,
    Array.from({ length: DAYS }, (_, n) => new Date(today - (n + 1) * DAY_MS).toISOString().slice(0, 10)),
  );
  let group = [];
  let written = 0;
  let applying = Promise.resolve();
  const flush = async () => {
    // The next group is made while this one is applied.
    await applying;
    const records = group;
    group = [];
    written += records.length;
    applying = applyEvents(pool, records);
    applying.catch(() => {});
    if (written % 400_000 < EVENTS_PER_GROUP)
      process.stderr.write(`\r${(written / 1e6).toFixed(1)} million events `);
  };
  for (let day = DAYS; day >= 1; day--) {
    for (const [index, player] of players.entries()) {
      // A player with few events comes on few days.
      const activeDays = Math.min(DAYS, Math.ceil(sizes[index] / EVENTS_PER_DAY));
      const turn = (day + index) % DAYS;
      if (turn >= activeDays) continue;
      const least = Math.floor(sizes[index] / activeDays);
      const size = least + (turn < sizes[index] - least * activeDays ? 1 : 0);
      for (let left = size; left > 0; left -= EVENTS_PER_GROUP) {
        const receivedAtMs = today - day * DAY_MS + random(DAY_MS);
        const events = Array.from({ length: Math.min(left, EVENTS_PER_GROUP) }, (_, n) =>
          eventAt(receivedAtMs, written + group.length + n, random),
        );
        const checked = checkEvents({ events, bytes: 0, suspicious: false }, player, receivedAtMs);
        if (checked.rejected.length > 0) throw new Error(JSON.stringify(checked.rejected[0]));
        group.push(...recordsOfPlayer(checked.events, player));
        if (group.length >= EVENTS_PER_GROUP) await flush();
      }
    }
  }
  await flush();
  await applying;
  process.stderr.write('\n');
  return written;
}
