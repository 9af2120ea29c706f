import { Type } from 'typebox';
import { nullable, successOf } from '../../platform/admin-api/admin-responses.js';
import { listResponse } from '../../platform/admin-api/page-cursor.js';
import { SLUG_RULE } from '../../platform/admin-api/tenants.js';
import { TEXT_FORMS } from '../../platform/lib/text-forms.js';

/** Requests and responses of the routes of games. */

/** A hundred years. The database has the same limit. */
export const MAX_RETENTION_DAYS = 36_500;

const RetentionDays = nullable(
  Type.Integer({
    minimum: 1,
    maximum: MAX_RETENTION_DAYS,
    description:
      'Events are deleted this many days after their receipt; null: events are kept. Players and roll-ups are always kept.',
  }),
);

const UnregisteredTypes = Type.Union([Type.Literal('accept'), Type.Literal('hold')], {
  description:
    'Events of a type that has no schema and is not built in: `accept` stores and counts them, `hold` refuses them and keeps them in the inbox of failed events.',
});

/** A month, within which the law wants a request to be met. The database has the same limit. */
export const MAX_ERASURE_WAIT_DAYS = 30;

const ErasureWaitDays = Type.Integer({
  minimum: 0,
  maximum: MAX_ERASURE_WAIT_DAYS,
  description:
    'For how many days a request to erase a player can be withdrawn. 0: players are erased at once.',
});

const ErasurePage = Type.Boolean({
  description:
    'Whether the game has a page, `/erase/{tenant}/{game}` of the player API, on which a person who has removed the game asks for erasure with a code that the game had shown.',
});

const Game = Type.Object(
  {
    gameId: Type.String({ description: 'The id of the game in paths and in X-Game-Id' }),
    name: Type.String(),
    publishedVersion: Type.Integer({ description: '0 before the first publication' }),
    draft: Type.Object({
      revision: Type.Integer(),
      isEdited: Type.Boolean({ description: 'Whether the draft has changes that are not published' }),
    }),
    retentionDays: RetentionDays,
    unregisteredTypes: UnregisteredTypes,
    erasureWaitDays: ErasureWaitDays,
    erasurePage: ErasurePage,
  },
  { title: 'Game' },
);

const EXAMPLE = {
  gameId: 'demo-game',
  name: 'Demo game',
  publishedVersion: 7,
  draft: { revision: 12, isEdited: true },
  retentionDays: null,
  unregisteredTypes: 'accept' as const,
  erasureWaitDays: 0,
  erasurePage: false,
};

export const GamesResponse = listResponse('GamesResponse', 'games', Game, { example: EXAMPLE });

export const GameResponse = successOf('GameResponse', Game, { example: EXAMPLE });

const GameName = Type.String({ minLength: 1, maxLength: 100, pattern: TEXT_FORMS.name.pattern });

export const NewGameBody = Type.Object(
  {
    // The route checks the rest of the rule, with an error that names the rule.
    gameId: Type.String({
      maxLength: 63,
      description: `Goes into paths and X-Game-Id, and never changes: ${SLUG_RULE}`,
    }),
    name: Type.Optional(GameName),
  },
  {
    title: 'NewGameRequest',
    description: 'Without a name the id is the name.',
    examples: [{ gameId: 'rocket', name: 'Rocket' }],
  },
);

export const CreatedGameResponse = successOf(
  'CreatedGameResponse',
  Type.Object({ gameId: Type.String(), name: Type.String() }),
  { example: { gameId: 'rocket', name: 'Rocket' } },
);

export const GameBody = Type.Object(
  {
    name: Type.Optional(GameName),
    retentionDays: Type.Optional(RetentionDays),
    unregisteredTypes: Type.Optional(UnregisteredTypes),
    erasureWaitDays: Type.Optional(ErasureWaitDays),
    erasurePage: Type.Optional(ErasurePage),
  },
  {
    title: 'GameSettingsRequest',
    description: 'What is left out stays as it is.',
    examples: [{ retentionDays: 90 }],
  },
);

export const GameSettingsResponse = successOf(
  'GameSettingsResponse',
  Type.Object({
    gameId: Type.String(),
    name: Type.String(),
    retentionDays: RetentionDays,
    unregisteredTypes: UnregisteredTypes,
    erasureWaitDays: ErasureWaitDays,
    erasurePage: ErasurePage,
  }),
  {
    example: {
      gameId: 'demo-game',
      name: 'Demo game',
      retentionDays: 90,
      unregisteredTypes: 'accept',
      erasureWaitDays: 0,
      erasurePage: false,
    },
  },
);
