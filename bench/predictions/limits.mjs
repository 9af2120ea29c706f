/** Limits that a run states and checks. A missed one is named at the end and makes the run fail. */
export function createLimits() {
  const missed = [];
  return {
    /** `text` names what was measured and its value. Returns what to print beside it. */
    atMost(value, limit, text) {
      // A value that is not a number misses its limit.
      const isMet = value <= limit;
      if (!isMet) missed.push(text);
      return isMet ? `at most ${limit}` : `MISSED: at most ${limit}`;
    },
    /** Prints the missed limits, and sets the exit code of the process. */
    conclude() {
      if (missed.length === 0) return console.log('\nAll limits that were checked are met.');
      console.error(`\n${missed.length} limits were missed:`);
      for (const text of missed) console.error(`  ${text}`);
      process.exitCode = 1;
    },
  };
}
