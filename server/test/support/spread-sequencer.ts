import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isHeavy, spread } from './spread.js';

/**
 * Vitest runs the largest files first. Files that take minutes are among the smallest: they would come last, all at once, get little of
 * the machine, and leave workers without work. Spread evenly, one or two of them run at a time.
 */
export class SpreadSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return spread(await super.sort(files), ({ moduleId }) => isHeavy(moduleId));
  }
}
