import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { toTime } from '../../platform/admin-api/admin-responses.js';
import { cursorInvalid, cursorOf, cutPage, pageParameters } from '../../platform/admin-api/page-cursor.js';
import { ApiError } from '../../platform/errors.js';
import { BODY_ERRORS } from '../../platform/http/api-schemas.js';
import { bodyCheckedAs } from '../../platform/http/validation.js';
import { isCurrency } from '../../platform/lib/currencies.js';
import { MAX_INTEGER } from '../../platform/lib/max-integer.js';
import type { AdminContext } from '../admin-api/admin-context.js';
import { routesOfStudio } from '../admin-api/admin-routes.js';
import { parseCsvBodies } from '../admin-api/csv-bodies.js';
import { sendCsv } from '../admin-api/csv-file.js';
import { changeRates, type RatesOutcome } from './rate-changes.js';
import { ratesToCsv, readRateFile } from './rate-file.js';
import { findNewestRates, findRateVersion, listRateVersions, type RateVersion } from './rate-queries.js';
import { BasedOn, RATE_FILE, RatesBody, RatesResponse, RateVersionsResponse } from './rate-schemas.js';

const VERSIONS = 'rate versions';
const LIMITS = { max: 100, fallback: 20 };
const ImportMode = Type.Union([Type.Literal('merge'), Type.Literal('replace')], {
  description: 'merge (the default) changes and adds rates; replace makes the file the whole table',
});
const CHANGE_ERRORS = ['rates_conflict', 'rates_invalid'] as const;

/** The reporting currency of the studio and its exchange rates. Nothing is fetched from outside. */
export function rateRoutes(app: FastifyInstance, ctx: AdminContext): void {
  const routes = routesOfStudio(app, ctx, 'Studio');
  parseCsvBodies(app);

  routes.get('/admin/v1/rates', {
    role: 'viewer',
    operationId: 'getRates',
    summary: 'The reporting currency of the studio and its exchange rates',
    querystring: Type.Object({
      version: Type.Optional(
        Type.Integer({ minimum: 0, maximum: MAX_INTEGER, description: 'By default the one in force' }),
      ),
    }),
    response: { 200: RatesResponse },
    errors: ['rate_version_not_found'],
    handle: async ({ admin: { tenantId }, query }) => {
      const { version } = query;
      const found =
        version === undefined
          ? await findNewestRates(ctx.pool, tenantId)
          : await findRateVersion(ctx.pool, tenantId, version);
      if (found === undefined) throw new ApiError('rate_version_not_found');
      return ratesResponse(found);
    },
  });

  routes.put('/admin/v1/rates', {
    role: 'editor',
    operationId: 'saveRates',
    summary: 'Set the reporting currency and its exchange rates, as the next version',
    description:
      'Every figure of a day is converted with the rate that holds on that day, past days included. What is the same as before makes no version.',
    body: RatesBody,
    response: { 200: RatesResponse },
    errors: [...BODY_ERRORS, ...CHANGE_ERRORS],
    handle: async ({ admin, body, actorNow }) => {
      const { basedOn, currency, rates } = body;
      if (currency !== null && !isCurrency(currency))
        throw new ApiError('body_invalid', {
          message: `"${currency}" is no currency that players can pay in.`,
        });
      const stated = rates.map((rate, index) => ({ ...rate, row: index + 1 }));
      const studio = { tenantId: admin.tenantId, basedOn };
      const change = { currency, rates: stated, mode: 'replace' } as const;
      return savedResponse(await changeRates(ctx.pool, studio, change, actorNow()));
    },
  });

  routes.get('/admin/v1/rates/file', {
    role: 'viewer',
    operationId: 'exportRates',
    summary: 'The exchange rates as a CSV file',
    response: { 200: { description: 'The file', ...RATE_FILE } },
    handle: async ({ admin: { tenantId, tenant }, reply }) => {
      const { rates } = await findNewestRates(ctx.pool, tenantId);
      return sendCsv(reply, `${tenant}-rates`, ratesToCsv(rates));
    },
  });

  routes.put('/admin/v1/rates/file', {
    role: 'editor',
    operationId: 'importRates',
    summary: 'Take a CSV file into the exchange rates: all of it, as the next version, or nothing',
    querystring: Type.Object({ basedOn: BasedOn, mode: Type.Optional(ImportMode) }),
    ...bodyCheckedAs(RATE_FILE, Type.Unknown()),
    response: { 200: RatesResponse },
    errors: [...BODY_ERRORS, ...CHANGE_ERRORS],
    handle: async ({ admin, query, body, actorNow }) => {
      const { basedOn, mode = 'merge' } = query;
      if (typeof body !== 'string')
        throw new ApiError('body_invalid', { message: 'Send the file as text/csv.' });
      const { rates, errors } = readRateFile(body);
      if (errors.length > 0) throw new ApiError('rates_invalid', { details: { rows: errors } });
      const studio = { tenantId: admin.tenantId, basedOn };
      return savedResponse(await changeRates(ctx.pool, studio, { rates, mode }, actorNow()));
    },
  });

  routes.get('/admin/v1/rates/versions', {
    role: 'viewer',
    operationId: 'listRateVersions',
    summary: 'The versions of the exchange rates, newest first',
    querystring: Type.Object(pageParameters(LIMITS)),
    response: { 200: RateVersionsResponse },
    handle: async ({ admin, query }) => {
      const { cursor, limit = LIMITS.fallback } = query;
      const [before] = cursorOf(VERSIONS, cursor, [0]) ?? [MAX_INTEGER];
      if (before < 0 || before > MAX_INTEGER) throw cursorInvalid();
      const found = await listRateVersions(ctx.pool, admin.tenantId, { before, limit: limit + 1 });
      const { page, nextCursor } = cutPage(VERSIONS, found, limit, ({ version }) => [version]);
      return {
        versions: page.map(({ createdAt, ...version }) => ({ ...version, createdAt: toTime(createdAt) })),
        nextCursor,
      };
    },
  });
}

function savedResponse(result: RatesOutcome) {
  switch (result.outcome) {
    case 'saved':
      return ratesResponse(result.saved);
    case 'conflict': {
      const { version, author } = result.current;
      throw new ApiError('rates_conflict', { details: { version, author } });
    }
    case 'invalid':
      throw new ApiError('rates_invalid', { details: { rows: result.errors } });
  }
}

function ratesResponse({ createdAt, rates, ...version }: RateVersion) {
  return { ...version, createdAt: toTime(createdAt), rates: [...rates] };
}
