import { Type } from 'typebox';
import { successOf } from '../../platform/admin-api/admin-responses.js';
import { listResponse } from '../../platform/admin-api/page-cursor.js';
import {
  PlayerParameters,
  reasonAndUntil,
  SET_MEMBERS_EXAMPLE,
  setMemberSchemas,
} from './admin-player-schemas.js';

/** Documentation of the admin API's routes of pins. */

export const PinParameters = Type.Object({
  ...PlayerParameters.properties,
  kind: Type.String({ description: 'value or variant' }),
  target: Type.String({
    description: 'The key of a value, or the id of an experiment, of the published configuration',
  }),
});

const PinnedValue = Type.Unknown({
  description: 'A value of the type of the key, or the id of a variant',
});

export const PinBody = Type.Object(
  { value: PinnedValue, ...reasonAndUntil },
  {
    title: 'PinRequest',
    examples: [{ value: 5, reason: 'Test device of QA', until: '2027-01-01T00:00:00Z' }],
  },
);

const kindAndTarget = {
  kind: Type.Union([Type.Literal('value'), Type.Literal('variant')]),
  target: Type.String(),
};

const Pin = Type.Object({ ...kindAndTarget, value: PinnedValue, ...setMemberSchemas }, { title: 'Pin' });

const PIN_EXAMPLE = {
  kind: 'value' as const,
  target: 'jump_height',
  value: 5,
  reason: 'Test device of QA',
  ...SET_MEMBERS_EXAMPLE,
};

export const PinResponse = successOf('PinResponse', Pin, { example: PIN_EXAMPLE });

export const PinsResponse = listResponse('PinsResponse', 'pins', Pin, {
  example: PIN_EXAMPLE,
  description: 'Those that stand, then what is over, newest first',
});

export const PinClearedResponse = successOf('PinClearedResponse', Type.Object(kindAndTarget), {
  description: 'The rules decide again.',
  example: { kind: 'value', target: 'jump_height' },
});
