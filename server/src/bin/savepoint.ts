import { watchOutput } from '../cli/closed-output.js';
import { mapStackTraces } from './map-stack-traces.js';
import { runProgram } from './program.js';

mapStackTraces();
watchOutput();
const code = await runProgram(process.argv.slice(2));
if (code !== undefined) process.exit(code);
