import { Type } from 'typebox';
import { ERRORS, type ErrorCode } from '../../platform/errors.js';
import { type ErrorForm, errorResponses } from '../../platform/http/api-schemas.js';
import {
  BuildInUse,
  DIFFERENCE_EXAMPLE,
  DocumentChange,
  DocumentProblem,
  ExperimentChange,
  PROBLEM_EXAMPLE,
  PriceRaise,
  RAISE_EXAMPLE,
  ROW_ERROR_EXAMPLE,
  RowError,
  ValueLoss,
} from './admin-error-details.js';

/** The general form of an error, with what errors of the admin API carry besides code and message. */
const AdminError = Type.Object(
  {
    error: Type.Object({
      code: Type.String({ description: 'A permanent code to switch on.' }),
      message: Type.String({ description: 'A sentence for the developer; it may be reworded.' }),
      roleNeeded: Type.Optional(Type.String({ description: 'Only with `role_too_low`.' })),
      problems: Type.Optional(
        Type.Array(DocumentProblem, {
          description: 'Only with `document_invalid`: all of them, up to 1,000.',
        }),
      ),
      revision: Type.Optional(
        Type.Integer({ description: 'Only with `draft_conflict`: the current revision.' }),
      ),
      updatedBy: Type.Optional(
        Type.Union([Type.String(), Type.Null()], {
          description: 'Only with `draft_conflict`: who changed the draft.',
        }),
      ),
      updatedByEmail: Type.Optional(
        Type.Union([Type.String(), Type.Null()], {
          description: 'Only with `draft_conflict`: the address of that person, if one was signed in.',
        }),
      ),
      version: Type.Optional(
        Type.Integer({
          description:
            'Only with `version_conflict`, `nothing_to_publish` and `rates_conflict`: the version in force.',
        }),
      ),
      author: Type.Optional(
        Type.Union([Type.String(), Type.Null()], {
          description: 'Only with `version_conflict` and `rates_conflict`: who made the version in force.',
        }),
      ),
      difference: Type.Optional(
        Type.Array(DocumentChange, {
          description:
            'With `draft_conflict`: the changes from the current draft to the document that was sent; when publishing, the changes that publishing the current draft would make. With `version_conflict`: what was published since `basedOn`.',
        }),
      ),
      raises: Type.Optional(Type.Array(PriceRaise, { description: 'Only with `price_raise_unconfirmed`.' })),
      values: Type.Optional(Type.Array(ValueLoss, { description: 'Only with `values_in_use`.' })),
      builds: Type.Optional(
        Type.Array(BuildInUse, {
          description:
            'Only with `values_in_use`: builds of the last 30 days, most players first; 20 at most.',
        }),
      ),
      experiments: Type.Optional(
        Type.Array(ExperimentChange, { description: 'Only with `experiments_exposed`.' }),
      ),
      reason: Type.Optional(
        Type.Object(
          { code: Type.String(), message: Type.String(), path: Type.String() },
          { description: 'Only with `event_still_refused`: the reason, and a JSON pointer to the mistake.' },
        ),
      ),
      rows: Type.Optional(
        Type.Array(RowError, {
          description:
            'Only with `catalogue_invalid`, `overrides_invalid` and `rates_invalid`: all of them, up to 1,000.',
        }),
      ),
    }),
    status: Type.Literal('error'),
  },
  { title: 'GeneralError', description: 'The general form.' },
);

const FORM: ErrorForm = {
  schema: AdminError,
  details: {
    role_too_low: { roleNeeded: 'editor' },
    document_invalid: { problems: [PROBLEM_EXAMPLE] },
    draft_conflict: {
      revision: 13,
      updatedBy: 'Grace',
      updatedByEmail: 'grace@studio.example',
      difference: DIFFERENCE_EXAMPLE,
    },
    version_conflict: { version: 8, author: 'Grace', difference: DIFFERENCE_EXAMPLE },
    nothing_to_publish: { version: 7 },
    rates_conflict: { version: 4, author: 'Grace' },
    rates_invalid: {
      rows: [{ row: 2, column: 'from', message: 'This must be a day such as 2026-11-15.' }],
    },
    price_raise_unconfirmed: { raises: [RAISE_EXAMPLE] },
    values_in_use: {
      values: [{ key: 'jump_height', change: 'removed' }],
      builds: [{ clientBuild: '1.4.0', players: 1204 }],
    },
    experiments_exposed: { experiments: [{ experimentId: 'price_test', members: ['variants'] }] },
    catalogue_invalid: { rows: [ROW_ERROR_EXAMPLE] },
    event_still_refused: {
      reason: { code: 'schema_mismatch', message: 'payload.level must be integer.', path: '/payload/level' },
    },
  },
};

/** Errors that every admin route may return. */
const OPEN_ERRORS = [
  'header_invalid',
  'parameter_invalid',
  'cross_origin',
  'host_not_allowed',
  'internal',
  'unavailable',
] as const satisfies readonly ErrorCode[];

/** Errors that every route with a guard may return. */
const SENDER_ERRORS = [
  ...OPEN_ERRORS,
  'token_missing',
  'token_invalid',
  'session_ended',
  'csrf_token_invalid',
] as const satisfies readonly ErrorCode[];

/** The error responses of an admin route for the API reference, in the order of their statuses. */
export function adminErrors(codes: readonly ErrorCode[] = []): Record<number, unknown> {
  return byStatus([...SENDER_ERRORS, 'role_too_low', 'not_a_member', ...codes]);
}

/** For the routes of the own account. */
export function accountErrors(codes: readonly ErrorCode[] = []): Record<number, unknown> {
  return byStatus([...SENDER_ERRORS, 'account_needed', ...codes]);
}

/** For routes without a guard. */
export function openErrors(codes: readonly ErrorCode[]): Record<number, unknown> {
  return byStatus([...OPEN_ERRORS, ...codes]);
}

function byStatus(codes: readonly ErrorCode[]): Record<number, unknown> {
  const sorted = [...new Set(codes)].toSorted((a, b) => ERRORS[a].status - ERRORS[b].status);
  return errorResponses('data', sorted, FORM);
}

/** For routes with `:game` in their path. */
export function gameErrors(codes: readonly ErrorCode[] = []): Record<number, unknown> {
  return adminErrors(['game_not_found', ...codes]);
}
