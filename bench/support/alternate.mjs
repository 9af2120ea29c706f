import { createFloors, measureOperations, warmUpFloors } from './floors.mjs';
import { measureItem } from './measure-item.mjs';

/**
 * Round after round: the floors of an item, then the item. A machine that others use as well is not the same a minute later.
 * Gives samples of ratios, and all floors that were measured.
 */
export async function alternate({ playground, items: all, options, label = '', operations = false }) {
  const { rounds, seconds, quick } = options;
  const items = all.filter(({ isLongRun }) => !(quick && isLongRun));
  const samples = [];
  const floors = [];
  // Compilers, connections and remembered tokens are warm in a service that has players.
  for (const item of items.filter(({ warmsUp }) => warmsUp || !quick)) {
    console.log(`warming up ${item.name}${label}`);
    if (!quick || item === items[0]) await warmUpFloors(playground, item, seconds);
    await measureItem(playground, item, seconds);
  }
  for (let round = 1; round <= rounds; round++) {
    const measureFloor = createFloors(playground, seconds, quick);
    if (operations) floors.push(...(await measureOperations(seconds)));
    for (const item of items) {
      const compared = [];
      for (const [floorName, target] of Object.entries(item.targets)) {
        const floor = await measureFloor(floorName, item);
        compared.push({ floorName, target, floor });
        if (!floors.includes(floor)) floors.push({ ...floor, name: `${floor.name}${label}` });
      }
      const work = await measureItem(playground, item, seconds);
      for (const { floorName, target, floor } of compared) {
        const ratio = work.perSecond / floor.perSecond;
        const name = `${item.name}${label}`;
        samples.push({ round, name, unit: item.unit, floorName, target, ratio, floor, work });
        console.log(
          `round ${round}/${rounds}  ${name.padEnd(28)} ${work.perSecond.toFixed(0).padStart(7)} ${item.unit}/s  ${floorName.padEnd(7)} ${floor.perSecond.toFixed(0).padStart(7)}/s  ratio ${ratio.toFixed(2)}`,
        );
      }
    }
  }
  return { samples, floors };
}
