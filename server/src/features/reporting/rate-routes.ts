import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { AdminContext } from '../../admin/admin-context.js';
import { adminErrors } from '../../admin/admin-errors.js';
import { actorOf, adminOf, requireRole } from '../../admin/admin-guard.js';
import { adminSchema, success, toTime } from '../../admin/admin-responses.js';
import { parseCsvBodies } from '../../admin/csv-bodies.js';
import { sendCsv } from '../../admin/csv-file.js';
import { cursorInvalid, cursorOf, cutPage, pageParameters } from '../../admin/page-cursor.js';
import { ApiError } from '../../errors.js';
import { BODY_ERRORS } from '../../http/api-schemas.js';
import { checkBodyAgainst, withSchemaTypes } from '../../http/validation.js';
import { isCurrency } from '../../lib/currencies.js';
import { MAX_INTEGER } from '../../lib/max-integer.js';
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
  const common = adminSchema('Studio');
  const routes = withSchemaTypes(app);
  parseCsvBodies(app);

  routes.get(
    '/admin/v1/rates',
    {
      onRequest: requireRole(ctx, 'viewer'),
      schema: {
        ...common,
        operationId: 'getRates',
        summary: 'The reporting currency of the studio and its exchange rates',
        querystring: Type.Object({
          version: Type.Optional(
            Type.Integer({ minimum: 0, maximum: MAX_INTEGER, description: 'By default the one in force' }),
          ),
        }),
        response: {
          200: RatesResponse,
          ...adminErrors(['parameter_invalid', 'rate_version_not_found']),
        },
      },
    },
    async (request) => {
      const { tenantId } = adminOf(request);
      const { version } = request.query;
      const found =
        version === undefined
          ? await findNewestRates(ctx.pool, tenantId)
          : await findRateVersion(ctx.pool, tenantId, version);
      if (found === undefined) throw new ApiError('rate_version_not_found');
      return success(ratesResponse(found));
    },
  );

  routes.put(
    '/admin/v1/rates',
    {
      onRequest: requireRole(ctx, 'editor'),
      schema: {
        ...common,
        operationId: 'saveRates',
        summary: 'Set the reporting currency and its exchange rates, as the next version',
        description:
          'Every figure of a day is converted with the rate that holds on that day, past days included. What is the same as before makes no version.',
        body: RatesBody,
        response: { 200: RatesResponse, ...adminErrors([...BODY_ERRORS, ...CHANGE_ERRORS]) },
      },
    },
    async (request) => {
      const { basedOn, currency, rates } = request.body;
      if (currency !== null && !isCurrency(currency))
        throw new ApiError('body_invalid', {
          message: `"${currency}" is no currency that players can pay in.`,
        });
      const stated = rates.map((rate, index) => ({ ...rate, row: index + 1 }));
      const studio = { tenantId: adminOf(request).tenantId, basedOn };
      const change = { currency, rates: stated, mode: 'replace' } as const;
      return savedResponse(await changeRates(ctx.pool, studio, change, actorOf(ctx, request)));
    },
  );

  routes.get(
    '/admin/v1/rates/file',
    {
      onRequest: requireRole(ctx, 'viewer'),
      schema: {
        ...common,
        operationId: 'exportRates',
        summary: 'The exchange rates as a CSV file',
        response: { 200: { description: 'The file', ...RATE_FILE }, ...adminErrors() },
      },
    },
    async (request, reply) => {
      const { tenantId, tenant } = adminOf(request);
      const { rates } = await findNewestRates(ctx.pool, tenantId);
      return sendCsv(reply, `${tenant}-rates.csv`, ratesToCsv(rates));
    },
  );

  routes.put(
    '/admin/v1/rates/file',
    {
      onRequest: requireRole(ctx, 'editor'),
      validatorCompiler: checkBodyAgainst(Type.Unknown()),
      schema: {
        ...common,
        operationId: 'importRates',
        summary: 'Take a CSV file into the exchange rates: all of it, as the next version, or nothing',
        querystring: Type.Object({ basedOn: BasedOn, mode: Type.Optional(ImportMode) }),
        body: RATE_FILE,
        response: {
          200: RatesResponse,
          ...adminErrors([...BODY_ERRORS, 'parameter_invalid', ...CHANGE_ERRORS]),
        },
      },
    },
    async (request) => {
      const { basedOn, mode = 'merge' } = request.query;
      if (typeof request.body !== 'string')
        throw new ApiError('body_invalid', { message: 'Send the file as text/csv.' });
      const { rates, errors } = readRateFile(request.body);
      if (errors.length > 0) throw new ApiError('rates_invalid', { details: { rows: errors } });
      const studio = { tenantId: adminOf(request).tenantId, basedOn };
      return savedResponse(await changeRates(ctx.pool, studio, { rates, mode }, actorOf(ctx, request)));
    },
  );

  routes.get(
    '/admin/v1/rates/versions',
    {
      onRequest: requireRole(ctx, 'viewer'),
      schema: {
        ...common,
        operationId: 'listRateVersions',
        summary: 'The versions of the exchange rates, newest first',
        querystring: Type.Object(pageParameters(LIMITS)),
        response: { 200: RateVersionsResponse, ...adminErrors(['parameter_invalid']) },
      },
    },
    async (request) => {
      const { cursor, limit = LIMITS.fallback } = request.query;
      const [before] = cursorOf(VERSIONS, cursor, [0]) ?? [MAX_INTEGER];
      if (before < 0 || before > MAX_INTEGER) throw cursorInvalid();
      const found = await listRateVersions(ctx.pool, adminOf(request).tenantId, { before, limit: limit + 1 });
      const { page, nextCursor } = cutPage(VERSIONS, found, limit, ({ version }) => [version]);
      return success({
        versions: page.map(({ createdAt, ...version }) => ({ ...version, createdAt: toTime(createdAt) })),
        nextCursor,
      });
    },
  );
}

function savedResponse(result: RatesOutcome) {
  switch (result.outcome) {
    case 'saved':
      return success(ratesResponse(result.saved));
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
