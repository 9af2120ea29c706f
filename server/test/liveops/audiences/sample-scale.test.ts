import { expect, it } from 'vitest';
import { scaleOf } from '../../../src/liveops/audiences/sample-scale.js';

const sample = (players: number, drawn: number) => ({ players, ids: Array(drawn).fill('1') });

it.each([
  ['all were drawn', sample(4, 4), 4, { players: 4, isSampled: false, scale: 1 }],
  ['all were drawn, and one was deleted then', sample(4, 4), 3, { players: 3, isSampled: false, scale: 1 }],
  ['half were drawn', sample(8, 4), 4, { players: 8, isSampled: true, scale: 2 }],
  ['half were drawn, and two were deleted then', sample(8, 4), 2, { players: 8, isSampled: true, scale: 4 }],
  ['half were drawn, and all were deleted then', sample(8, 4), 0, { players: 8, isSampled: true, scale: 1 }],
  ['there are none', sample(0, 0), 0, { players: 0, isSampled: false, scale: 1 }],
])('tells what examined players stand for where %s', (_, drawn, examined, expected) => {
  expect(scaleOf(drawn, examined)).toEqual({ examined, ...expected });
});
