import { runChild } from './child.js';

await runChild(async () => (await import('./operations.js')).startOperations);
