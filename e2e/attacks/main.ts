import { parseArgs } from 'node:util';
import { cleanUp } from '../support/service.js';
import { ATTACKS } from './attacks.js';
import { runAttacks } from './run-attacks.js';

const HELP = `npm run attacks -- [options]

Two studios on one service. The hostile one attacks; the honest one's player status, admin API and /healthz are asked all the time.

  --only TEXT   only attacks whose name holds this text
  --within MS   how long an honest request may take (3000)

Attacks:
${ATTACKS.map(({ name }) => `  ${name}`).join('\n')}
`;

/** On a terminal. Resolves with the exit code. */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: '' },
      within: { type: 'string', default: '3000' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const withinMs = Number(values.within);
  try {
    const attacks = ATTACKS.filter(({ name }) => name.includes(values.only));
    const results = await runAttacks(attacks, (line) => process.stdout.write(`${line}\n`));
    const bad = results.filter(
      ({ harm, refused, slowestMs, mayWaitFor }) =>
        harm.length + refused.length > 0 || slowestMs > (mayWaitFor ?? withinMs),
    );
    process.stdout.write(
      bad.length === 0
        ? `\nNo attack did harm. Honest requests took at most ${Math.round(Math.max(...results.map((r) => r.slowestMs)))} ms.\n`
        : `\nHarm was done by: ${bad.map(({ name }) => name).join('; ')}\n`,
    );
    return bad.length === 0 ? 0 : 1;
  } finally {
    await cleanUp();
  }
}
