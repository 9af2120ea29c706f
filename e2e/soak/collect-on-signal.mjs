// Loaded before each process of a node: at a signal it gives all memory back that it does not need, and says so by a file. By the inspector, because
// `gc()` leaves free pages with the process.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

process.on('SIGUSR2', () => {
  const session = new Session();
  session.connect();
  session.post('HeapProfiler.collectGarbage', () => {
    writeFileSync(`${process.env.SOAK_COLLECTED}/${process.pid}`, '');
    // Not within the answer: that ends it without a word.
    setImmediate(() => session.disconnect());
  });
});
