export type { ResponseCounts } from './driver/network.js';
export { SimulationError } from './driver/play-life.js';
export { endSimulation, StateFileError } from './driver/state-file.js';
export { type LiveOptions, type LiveResult, simulateLive } from './live.js';
export type { Change, Reactions } from './model/reaction.js';
export type { Tally } from './model/tally.js';
export { trueChange } from './model/truth.js';
export { type Progress, type SimulateOptions, type SimulationResult, simulate } from './simulate.js';
