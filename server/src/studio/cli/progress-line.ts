/** How far a long command has come: a line that is written over on a terminal, a line now and then elsewhere. */
export type ProgressLine = {
  /** A function is asked for the text when it is time for the next line: some commands report thousands of times a second. */
  show(text: string | (() => string)): void;
  end(): void;
};

const INTERVAL_MS = { terminal: 100, elsewhere: 5_000 };

export function createProgressLine(): ProgressLine {
  const stream = process.stderr;
  const onTerminal = stream.isTTY === true;
  const interval = onTerminal ? INTERVAL_MS.terminal : INTERVAL_MS.elsewhere;
  let shownAt = Date.now();
  let isOpen = false;
  return {
    show(text) {
      if (Date.now() - shownAt < interval) return;
      shownAt = Date.now();
      isOpen = onTerminal;
      const shown = typeof text === 'string' ? text : text();
      stream.write(onTerminal ? `\r\u001b[K${shown}` : `${shown}\n`);
    },
    end() {
      if (isOpen) stream.write('\r\u001b[K');
      isOpen = false;
    },
  };
}
