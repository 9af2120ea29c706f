import { describe, expect, it } from 'vitest';
import { prettyLine } from '../../../src/platform/telemetry/pretty-line.js';

const TIME = Date.UTC(2026, 0, 2, 3, 4, 5);
const LOCAL = new Date(TIME).toTimeString().slice(0, 8);

const pretty = (record: object, hasColours = false) =>
  prettyLine(JSON.stringify({ level: 30, time: TIME, pid: 7, ...record }), hasColours);

describe('a line of the log for people', () => {
  it('has local time, level, message and members, without those that every line has', () => {
    expect(pretty({ requestId: 'req-1', status: 200, route: '/v1/my events', msg: 'request' })).toBe(
      `${LOCAL} INFO  request requestId=req-1 status=200 route="/v1/my events"\n`,
    );
  });

  it('has the stack trace below it', () => {
    const err = { type: 'Error', message: 'late', stack: 'Error: late\n    at fail (a.ts:1:1)' };
    expect(pretty({ level: 50, err, msg: 'it failed' })).toBe(
      `${LOCAL} ERROR it failed\n  Error: late\n      at fail (a.ts:1:1)\n`,
    );
    expect(pretty({ level: 40, err: { message: 'late' } })).toBe(`${LOCAL} WARN \n  late\n`);
  });

  it('keeps control characters out of the terminal, and is coloured only where that is possible', () => {
    const text = '\u001b[2J\u009b2J';
    expect(pretty({ name: text, msg: text, err: { stack: text } })).not.toMatch(/(?!\n)\p{Cc}/u);
    expect(pretty({ level: 50, msg: 'hello' }, true)).toContain('\u001b[31mERROR');
  });
});
