export type { ResponseCounts } from './driver/network.js';
export { SimulationError } from './driver/play-life.js';
export { StateFileError } from './driver/state-file.js';
export { type LiveResult, simulateLive } from './live.js';
export type { Tally } from './model/tally.js';
export { type Progress, type SimulateOptions, type SimulationResult, simulate } from './simulate.js';
