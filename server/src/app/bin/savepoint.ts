import { mapStackTraces } from '../../platform/telemetry/map-stack-traces.js';
import { watchOutput } from '../../studio/cli/closed-output.js';
import { endOnUncaught, runProgram } from './program.js';

mapStackTraces();
watchOutput();
endOnUncaught();
const code = await runProgram(process.argv.slice(2));
if (code !== undefined) process.exit(code);
