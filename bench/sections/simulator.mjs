import { itemsNamed } from '../items.mjs';
import { measureSavepoint } from '../support/command.mjs';
import { measureItem } from '../support/measure-item.mjs';
import { cpuSplitOf, workerRssMb } from '../support/processes.mjs';
import { loginMany } from '../support/service.mjs';
import { recordRequests, replayRequests } from '../support/simulated-requests.mjs';

const SMALLEST_RATIO = 0.5;
/** Enough players for a simulation that takes longer than `seconds`. */
const PLAYERS_A_SECOND = 250;
const DAYS = 60;
/** As many as `savepoint simulate` plays at a time. */
const CLIENTS = 48;
const WARM_UP_PLAYERS = 100;
const REPLAYED = 'the same requests, prepared';
const [largest] = itemsNamed('sequenced events, batch 50');

/**
 * `savepoint simulate` as a user runs it, against the same requests from a generator that has prepared them: shows whether the simulator
 * and the client limit the rate.
 */
export const simulator = {
  name: 'simulator',
  parts: ['simulator'],
  run: (options, playgrounds) =>
    playgrounds.with(options, async (playground) => {
      const { rounds, seconds, quick } = options;
      if (!quick) {
        console.log('warming up');
        await measureRound(playground, { seed: 0, players: WARM_UP_PLAYERS }, 1);
      }
      const found = { samples: [], floors: [], limits: [] };
      const costs = [];
      for (let round = 1; round <= rounds; round++) {
        const who = { seed: round, players: PLAYERS_A_SECOND * seconds };
        const { work, replayed, compared } = await measureRound(playground, who, seconds);
        costs.push(work.simulatorCpuMicros);
        for (const sample of compared) {
          found.floors.push(sample.floor);
          found.samples.push({ round, name: 'simulator', unit: 'events', work, ...sample });
        }
        const others = compared.map(({ floor }) => `${floor.name} ${floor.perSecond.toFixed(0)}/s`);
        console.log(
          `round ${round}/${rounds}  simulator ${work.perSecond.toFixed(0)} events/s in batches of ${(replayed.events / replayed.batches).toFixed(1)}, ${replayed.grants} logins and refreshes, ${work.simulatorCpuMicros.toFixed(0)} µs of its CPU each  ${others.join('  ')}`,
        );
      }
      const name = 'CPU of simulator and client for each event, start and report included';
      return { ...found, limits: [{ name, unit: 'µs', values: costs }] };
    }),
};

async function measureRound(playground, who, seconds) {
  const numbered = await measureItem(playground, largest, seconds);
  const replayed = await replay(playground, who);
  const work = await simulate(playground, who);
  const against = ({ perSecond }, name, target) => ({
    floorName: name,
    floor: { name, perSecond },
    target,
    ratio: work.perSecond / perSecond,
  });
  const compared = [against(replayed, REPLAYED, SMALLEST_RATIO), against(numbered, largest.name)];
  return { work, replayed, compared };
}

async function replay({ service }, { seed, players }) {
  const recorded = await recordRequests({ seed, players, days: DAYS, clients: CLIENTS });
  const sessions = await loginMany(service.api, players, `replay-${Date.now()}`);
  return replayRequests({ api: service.api, recorded, sessions, connections: CLIENTS });
}

async function simulate({ service }, { seed, players }) {
  const before = cpuSplitOf(service.pid);
  const size = ['--players', String(players), '--days', String(DAYS), '--seed', String(seed)];
  const where = ['--url', service.api, '--clients', String(CLIENTS)];
  const { stdout, cpuMs } = await measureSavepoint(service, 'simulate', ...size, ...where);
  const after = cpuSplitOf(service.pid);
  const [, sent, rate] = /^Sent ([\d,]+) events .*: ([\d,]+) a second\.$/m.exec(stdout) ?? [];
  if (rate === undefined) throw new Error(`the simulation does not say what it sent: ${stdout}`);
  const events = toNumber(sent);
  return {
    perSecond: toNumber(rate),
    simulatorCpuMicros: (cpuMs * 1000) / events,
    serviceCpuMicros: ((after.serviceMs - before.serviceMs) * 1000) / events,
    postgresCpuMicros: ((after.postgresMs - before.postgresMs) * 1000) / events,
    workerRssMb: workerRssMb(service.pid),
  };
}

const toNumber = (text) => Number(text.replaceAll(',', ''));
