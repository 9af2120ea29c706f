import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** Compiled by `npm run build`. */
const MAIN = fileURLToPath(new URL('../dist/src/main.js', import.meta.url));

/** A driver whose replies are given as the text of a function from a command to a reply or a list of messages. */
const driver = (replies: string) => [
  process.execPath,
  '-e',
  `const reply = ${replies};
   require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
     const command = JSON.parse(line);
     for (const message of [reply(command)].flat()) console.log(JSON.stringify({ id: command.id, ...message }));
   });`,
];
const HELLO = `{ value: { client: 'test', can: [] } }`;

async function run(...args: string[]): Promise<{ code: number; output: string }> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args]);
    return { code: 0, output: stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}

describe('the runner', () => {
  it('explains itself, and lists the exchanges with their rules', async () => {
    expect(await run('--help')).toMatchObject({ code: 0, output: expect.stringContaining('--only <name>') });
    const { code, output } = await run('--list');
    expect(code).toBe(0);
    expect(output).toContain('lost-response\n    A batch whose response was lost is sent again');
  });

  it.each([
    [[], 'Say which command starts your driver'],
    [['--only', 'no-such', '--', 'true'], 'There is no exchange "no-such"'],
    [['--parallel', '0', '--', 'true'], '--parallel must be a whole number from 1'],
    [['--parallell', '2', '--', 'true'], '--parallell'],
  ])('refuses a wrong call: %s', async (args, sentence) => {
    expect(await run(...args)).toMatchObject({ code: 2, output: expect.stringContaining(sentence) });
  });

  it('fails a client that breaks a rule, and says which one and what arrived', async () => {
    // It tracks, and never sends anything.
    const lazy = driver(`({ do: it }) => it === 'hello' ? ${HELLO} : { value: 'some-id' }`);
    const { code, output } = await run('--only', 'login-when-needed', '--', ...lazy);
    expect(code).toBe(1);
    expect(output).toContain('FAILED   login-when-needed: logins: expected 1, got 0');
    expect(output).toContain('Rule: The first call that needs a session logs in');
    expect(output).toContain('0 passed, 1 failed, 0 skipped.');
  });

  it('fails a client that waits for ever, and says what was waited for', async () => {
    const lazy = driver(`({ do: it }) => it === 'hello' ? ${HELLO} : { value: 'some-id' }`);
    const forever = await run('--only', 'no-network', '--patience', '1', '--', ...lazy);
    // On a busy machine a second may be over before the driver has replied at all.
    expect(forever.output).toMatch(
      /still waiting (until two events have arrived|for the driver to reply), after 1 s/,
    );
    const silent = driver('() => []');
    const mute = await run('--only', 'no-network', '--patience', '1', '--', ...silent);
    expect(mute.output).toContain('still waiting for the driver to reply');
    expect([forever.code, mute.code]).toEqual([1, 1]);
  });

  it('skips what the driver says that it cannot do', async () => {
    const simple = driver(`({ do: it }) => it === 'hello' ? ${HELLO} : {}`);
    const { code, output } = await run('--only', 'refresh-before-expiry', '--', ...simple);
    expect([code, output]).toEqual([0, expect.stringContaining('the driver cannot do "clock"')]);
  });

  it.each([
    [['no-such-program'], 'The driver could not be started'],
    [[process.execPath, '-e', 'process.exit(3)'], 'The driver ended (code 3).'],
    [
      [process.execPath, '-e', 'console.log("hi"); setInterval(() => {}, 1000)'],
      'a line that is no JSON object: hi',
    ],
  ])('says what is wrong with a driver: %s', async (command, sentence) => {
    const { code, output } = await run('--only', 'logout', '--', ...command);
    expect([code, output]).toEqual([1, expect.stringContaining(sentence)]);
  });
});
