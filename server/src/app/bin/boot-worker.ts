import { runChild } from './child.js';

await runChild(async () => (await import('./worker.js')).startWorker);
