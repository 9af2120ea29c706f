import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import type { Static, TSchema, TUnknown } from 'typebox';
import { adminSchema, GameParameters, success } from '../../platform/admin-api/admin-responses.js';
import type { Actor } from '../../platform/admin-api/audit-log.js';
import type { ErrorCode } from '../../platform/errors.js';
import type { AdminContext } from './admin-context.js';
import { accountErrors, adminErrors, gameErrors } from './admin-errors.js';
import {
  actorOf,
  adminOf,
  gameOf,
  personOf,
  requireAccount,
  requireRole,
  signedInOf,
} from './admin-guard.js';
import type { SignedIn } from './admin-sessions.js';
import type { Admin } from './admin-tokens.js';
import type { AdminGame } from './game-queries.js';
import type { Role } from './roles.js';

/**
 * How a route of the admin API is declared. The declaration says what the route needs, takes and gives, and how it is handled.
 * What all routes do is done here:
 *
 *   guard ──► body is read ──► parameters and body are checked ──► game of the path ──► handle ──► { data, status: 'success' }
 */
type Route<Params extends TSchema, Query extends TSchema, Body extends TSchema> = Readonly<{
  operationId: string;
  summary: string;
  description?: string;
  params?: Params;
  querystring?: Query;
  headers?: TSchema;
  body?: Body;
  /** By status. The lowest is the status of the response, unless the handler sets another one. */
  response: Readonly<Record<number, unknown>>;
  /** Those that every such route may return need not be listed. */
  errors?: readonly ErrorCode[];
  /** Of Fastify. */
  options?: Pick<RouteShorthandOptions, 'bodyLimit' | 'config' | 'exposeHeadRoute' | 'validatorCompiler'>;
}>;

/** What every handler is given. */
type Call<Params extends TSchema, Query extends TSchema, Body extends TSchema> = Readonly<{
  params: Static<Params>;
  query: Static<Query>;
  body: Static<Body>;
  request: FastifyRequest;
  reply: FastifyReply;
  /** Who is recorded in the audit log, with the present time. */
  actorNow: () => Actor;
}>;

type AdminPath = `/admin/v1/${string}`;
type GamePath = `/admin/v1/games/:game${string}`;

/** Of routes that admin tokens and members of a studio may call. */
type RoleNeeded = Readonly<{ role: Role }>;
type Sender = Readonly<{ admin: Admin }>;

/** Routes about the studio of the sender. */
export function routesOfStudio(app: FastifyInstance, ctx: AdminContext, tag: string) {
  return routesWith<AdminPath, RoleNeeded, Sender, TUnknown>(app, tag, {
    guard: ({ role }) => requireRole(ctx, role),
    errorResponses: adminErrors,
    find: async (request) => ({ admin: adminOf(request) }),
    actorOf: (request) => actorOf(ctx, request),
  });
}

/** Routes about a game of the studio, which their handlers are given. */
export function routesOfGame(app: FastifyInstance, ctx: AdminContext, tag: string) {
  return routesWith<GamePath, RoleNeeded, Sender & Readonly<AdminGame>, typeof GameParameters>(app, tag, {
    guard: ({ role }) => requireRole(ctx, role),
    errorResponses: gameErrors,
    defaults: { params: GameParameters },
    find: async (request) => ({ admin: adminOf(request), ...(await gameOf(ctx, request)) }),
    actorOf: (request) => actorOf(ctx, request),
  });
}

/** Routes about the own account, for people who have signed in. */
export function routesOfAccount(app: FastifyInstance, ctx: AdminContext, tag: string) {
  return routesWith<AdminPath, unknown, Readonly<{ signedIn: SignedIn }>, TUnknown>(app, tag, {
    guard: () => requireAccount(ctx),
    errorResponses: accountErrors,
    find: async (request) => ({ signedIn: signedInOf(request) }),
    actorOf: (request) => personOf(ctx, request),
  });
}

/** In what the three kinds of routes differ. */
type Kind<Needs, Found> = Readonly<{
  /** The hook that lets a request in, before its body is read. */
  guard: (needs: Needs) => (request: FastifyRequest) => Promise<void>;
  /** For the errors of a route, and for those that every route of the kind may return. */
  errorResponses: (codes?: readonly ErrorCode[]) => Record<number, unknown>;
  /** What holds for a route that does not say it itself. */
  defaults?: Readonly<{ params: TSchema }>;
  /** What a handler is given besides the request. */
  find: (request: FastifyRequest) => Promise<Found>;
  actorOf: (request: FastifyRequest) => Actor;
}>;

function routesWith<Path extends string, Needs, Found, PathParams extends TSchema>(
  app: FastifyInstance,
  tag: string,
  kind: Kind<Needs, Found>,
) {
  const declare =
    (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE') =>
    <Params extends TSchema = PathParams, Query extends TSchema = TUnknown, Body extends TSchema = TUnknown>(
      url: Path,
      route: Needs &
        Route<Params, Query, Body> &
        Readonly<{
          /**
           * Returns the data of the response. Or sends the response itself, and returns `reply`. Not `unknown`, so that the compiler refuses a
           * handler that forgets to return: the response would be an empty 200.
           */
          handle: (call: Call<Params, Query, Body> & Found) => Promise<NonNullable<unknown> | null>;
        }>,
    ): void => {
      const { role, handle, response, errors, options, ...described }: Declared = route;
      const status = Math.min(...Object.keys(response).map(Number));
      app.route({
        ...options,
        method,
        url,
        onRequest: kind.guard(route),
        schema: {
          ...adminSchema(tag),
          ...kind.defaults,
          ...described,
          response: { ...response, ...kind.errorResponses(errors) },
        },
        handler: async (request, reply) => {
          reply.code(status);
          const data = await route.handle({
            ...(await kind.find(request)),
            // Checked against the schemas of the route.
            params: request.params as Static<Params>,
            query: request.query as Static<Query>,
            body: request.body as Static<Body>,
            request,
            reply,
            actorNow: () => kind.actorOf(request),
          });
          // Undefined if the handler returned `reply`: Fastify's replies can be awaited, and give nothing.
          return data === undefined ? undefined : success(data);
        },
      });
    };
  return {
    get: declare('GET'),
    post: declare('POST'),
    put: declare('PUT'),
    patch: declare('PATCH'),
    delete: declare('DELETE'),
  };
}

/** A route of any kind. */
type Declared = Route<TSchema, TSchema, TSchema> & Partial<RoleNeeded> & Readonly<{ handle: unknown }>;
