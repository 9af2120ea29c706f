import { createFloors, measureOperations, warmUpFloors } from './floors.mjs';
import { measureItem } from './measure-item.mjs';

/**
 * Round after round: the floors of an item, then the item. The speed of a shared machine changes within a minute.
 * Returns samples of ratios, and all floors that were measured.
 */
export async function alternate({ playground, items, options, label = '', operations = false }) {
  const { rounds, seconds, quick } = options;
  const samples = [];
  const floors = [];
  await warmUp(playground, items, options, label);
  for (let round = 1; round <= rounds; round++) {
    const measureFloor = createFloors(playground, seconds, quick);
    if (operations) floors.push(...(await measureOperations(seconds)));
    for (const item of items) {
      const { compared, work } = await compare(playground, item, seconds, measureFloor);
      const name = `${item.name}${label}`;
      for (const sample of compared) {
        const { floorName, floor, ratio } = sample;
        floors.push({ ...floor, name: `${floor.name}${label}` });
        samples.push({ round, name, ...sample, work });
        console.log(
          `round ${round}/${rounds}  ${name.padEnd(28)} ${work.perSecond.toFixed(0).padStart(7)} ${item.unit}/s  ${floorName.padEnd(7)} ${floor.perSecond.toFixed(0).padStart(7)}/s  ratio ${ratio.toFixed(2)}`,
        );
      }
    }
  }
  return { samples, floors };
}

/** Measures what an item is compared with, then the item. */
export async function compare(playground, item, seconds, measureFloor) {
  const floors = [];
  for (const [floorName, target] of Object.entries(item.targets)) {
    floors.push({ floorName, target, floor: await measureFloor(floorName, item) });
  }
  const work = await measureItem(playground, item, seconds);
  const { unit, orPerSecond } = item;
  const compared = floors.map((each) => ({
    ...each,
    unit,
    orPerSecond,
    ratio: work.perSecond / each.floor.perSecond,
  }));
  return { compared, work };
}

/** Warms up code, connections and cached tokens, as in a service that has players. */
export async function warmUp(playground, items, { seconds, quick }, label = '') {
  const warm = new Set();
  for (const item of items.filter(({ warmsUp }) => warmsUp || !quick)) {
    console.log(`warming up ${item.name}${label}`);
    if (!quick || item === items[0]) await warmUpFloors(playground, item, seconds, warm);
    if (!warm.has(item.name)) await measureItem(playground, item, seconds);
    warm.add(item.name);
  }
}
