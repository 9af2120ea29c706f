import type { AgeGroupFacts } from '../explanations/explained-player.js';
import type { RebuiltPlayer } from '../explanations/rebuilt-player.js';

/** A player of the sample. */
export type ExaminedPlayer = RebuiltPlayer & AgeGroupFacts;
