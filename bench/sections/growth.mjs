import { measureGrowth } from '../growth.mjs';

/** The same with few, a million and many stored events. */
export const growth = {
  name: 'growth',
  parts: ['the same with few, a million and millions of rows'],
  run: measureGrowth,
};
