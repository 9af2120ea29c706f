import { expect, it } from 'vitest';
import { UNTRAINED } from '../../../src/decide/predict/models-in-force.js';
import { train } from '../../../src/decide/predict/train.js';

it('the models before the first training are what a training without data gives', () => {
  const { artefact } = train({ day: 0, currency: null, origins: [] }, 0, null);
  expect(UNTRAINED).toEqual(artefact);
});
