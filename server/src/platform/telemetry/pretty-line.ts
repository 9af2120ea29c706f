/** What every line has, or what its text already says. */
const HIDDEN = new Set(['level', 'time', 'pid', 'msg', 'err']);
const LEVELS: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};
const WIDTH = 5;
const YELLOW = 33;
const RED = 31;
const GREY = 90;

type LoggedError = Readonly<{ stack?: string; message?: string }>;

/** A JSON line of the log for a person at a terminal: local time, level, message, members, and below them the stack trace. */
export function prettyLine(line: string, hasColours: boolean): string {
  const record = JSON.parse(line) as Record<string, unknown>;
  const level = Number(record.level);
  const paint = (text: string, colour: number) => (hasColours ? `\u001b[${colour}m${text}\u001b[39m` : text);
  const name = (LEVELS[level] ?? String(level)).padEnd(WIDTH);
  const members = Object.entries(record)
    .filter(([key]) => !HIDDEN.has(key))
    .map(([key, value]) => `${key}=${asText(value)}`);
  const parts = [
    paint(new Date(Number(record.time)).toTimeString().slice(0, 8), GREY),
    level >= 50 ? paint(name, RED) : level >= 40 ? paint(name, YELLOW) : name,
    ...(typeof record.msg === 'string' ? [printable(record.msg)] : []),
    ...(members.length > 0 ? [paint(printable(members.join(' ')), GREY)] : []),
  ];
  return `${parts.join(' ')}\n${stackOf(record.err)}`;
}

/** Some text comes from clients, and must not command the terminal. */
function printable(text: string): string {
  return text.replaceAll(/(?![\n\t])\p{Cc}/gu, '\ufffd');
}

/** Text without spaces needs no quotes. */
function asText(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

function stackOf(error: unknown): string {
  const { stack, message } = (error ?? {}) as LoggedError;
  const text = stack ?? message;
  return text === undefined ? '' : `${printable(text).replaceAll(/^/gm, '  ')}\n`;
}
