import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { cleanUp } from '../support/service.js';
import { drawSoak } from './drawing.js';
import { runSoak } from './run-soak.js';
import { RULE } from './verdict.js';

const HELP = `npm run soak -- [options]

Two nodes on one PostgreSQL while simulated players play. Node two is restarted and killed in turns; closed days are filled, compacted and
dropped. Memory, sizes of tables, dead rows and p99 are measured, judged, and drawn as an SVG. Linux only.

  --minutes N   (40)
  --clients N   simulated players who play at a time (2)
  --out FILE    the drawing (soak.svg)

The rule of the verdict:
${RULE.map((line) => `  ${line}`).join('\n')}
  Besides, nothing that was acknowledged is lost or doubled, the simulations and the recount agree, and past days are compacted and dropped.
`;

export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '40' },
      clients: { type: 'string', default: '2' },
      out: { type: 'string', default: 'soak.svg' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const minutes = Number(values.minutes);
  try {
    const { samples, marks, findings } = await runSoak({
      minutes,
      clients: Number(values.clients),
      say: (line) => process.stdout.write(`${line}\n`),
    });
    const title = `Savepoint, ${minutes} minutes with ${marks.length} restarts (dashed)`;
    const file = resolve(values.out);
    await writeFile(file, drawSoak(title, samples, marks, findings));
    for (const { isGood, sentence } of findings) process.stdout.write(`${isGood ? '✓' : '✗'} ${sentence}\n`);
    process.stdout.write(`Drawn in ${file}\n`);
    return findings.every(({ isGood }) => isGood) ? 0 : 1;
  } finally {
    await cleanUp();
  }
}
