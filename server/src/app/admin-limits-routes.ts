import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { EVENT_LIMITS } from '../core/events/intake/limits.js';
import { DOCUMENT_REGISTRY } from '../decide/document/document.js';
import { DOCUMENT_LIMITS } from '../decide/document/document-limits.js';
import type { ListPart } from '../decide/document/document-part.js';
import { successOf } from '../platform/admin-api/admin-responses.js';
import type { AdminContext } from '../studio/admin-api/admin-context.js';
import { routesOfStudio } from '../studio/admin-api/admin-routes.js';

const count = (description: string) => Type.Integer({ description });
const { maxEvents, maxBodyBytes, maxEventBytes, maxEventTypeLength } = EVENT_LIMITS;
const LIMITS = {
  document: { ...ofLists(({ limit }) => limit), ...DOCUMENT_LIMITS },
  events: { maxEvents, maxBodyBytes, maxEventBytes, maxEventTypeLength },
};

const LimitsResponse = successOf(
  'AdminLimitsResponse',
  Type.Object({
    document: Type.Object(
      {
        ...ofLists(({ title }) => count(title)),
        ...({
          locales: count('Languages of one text'),
          currencies: count('Currencies of one SKU'),
          assets: count('Assets of one SKU'),
          badges: count('Badges of one offer'),
          ruleLength: count('Characters of a rule'),
          ruleCost: count('Cost of all rules together, in units of at most about 100 ns'),
          offeredSkus: count('SKUs of all offers together'),
        } satisfies Record<keyof typeof DOCUMENT_LIMITS, unknown>),
      },
      { description: 'What a configuration document may hold' },
    ),
    events: Type.Object(
      {
        maxEvents: count('Events in one request'),
        maxBodyBytes: count('Bytes of a body, decompressed'),
        maxEventBytes: count('Bytes of one event'),
        maxEventTypeLength: count('Characters of an eventType'),
      },
      { description: 'What a game may send; `GET /v1/limits` of the player API has all of them' },
    ),
  }),
  { example: LIMITS },
);

/** By the name of each list of a document. */
function ofLists<T>(read: (part: ListPart) => T): Record<string, T> {
  return Object.fromEntries(DOCUMENT_REGISTRY.lists.map((part) => [part.name, read(part)]));
}

/** What a studio may have, for those who edit. */
export function adminLimitsRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfStudio(app, ctx, 'Studio');

  routes.get('/admin/v1/limits', {
    role: 'viewer',
    operationId: 'getLimits',
    summary: 'What a document may hold, and what games may send',
    response: { 200: LimitsResponse },
    handle: async () => LIMITS,
  });
}
