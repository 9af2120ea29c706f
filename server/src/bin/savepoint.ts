import { watchOutput } from '../cli/closed-output.js';
import { runProgram } from './program.js';

watchOutput();
const code = await runProgram(process.argv.slice(2));
if (code !== undefined) process.exit(code);
