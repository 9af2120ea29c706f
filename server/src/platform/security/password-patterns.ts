/** Rows and columns of keyboards (QWERTY, QWERTZ, AZERTY), the alphabet and the digits. */
const SEQUENCES = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  ...['qwertyuiop', 'qwertzuiop', 'azertyuiop', 'asdfghjkl', 'qsdfghjklm', 'zxcvbnm', 'yxcvbnm', 'wxcvbn'],
  ...['1qaz', '2wsx', '3edc', '4rfv', '5tgb', '6yhn', '7ujm', '8ik', '9ol'],
];
const RUNS = SEQUENCES.flatMap((sequence) => [sequence, [...sequence].reverse().join('')]);
/** Two neighbours are common in words: "de", "as", "op". */
const MIN_RUN = 3;

/** Whether a password is a shorter text over and over: `abcabcabc`, `passwordpassword`, also when the last one is cut. */
export function isRepetition(password: string): boolean {
  const text = password.toLowerCase();
  for (let period = 1; period <= text.length / 2; period++) {
    if (text.startsWith(text.slice(period))) return true;
  }
  return false;
}

/** Whether a password consists of neighbouring keys, letters or digits: `qwertzuiop123`, `abcdef654321`. */
export function isKeyboardRun(password: string): boolean {
  const text = password.toLowerCase();
  let at = 0;
  while (at < text.length) {
    const length = runAt(text, at);
    const isRest = at > 0 && at + length === text.length;
    if (length < MIN_RUN && !isRest) return false;
    at += length;
  }
  return true;
}

/** How many characters of the text, from a position on, are next to each other in one of the sequences. */
function runAt(text: string, at: number): number {
  let length = 1;
  while (at + length < text.length && RUNS.some((run) => run.includes(text.slice(at, at + length + 1))))
    length++;
  return length;
}
