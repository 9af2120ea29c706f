import { Type } from 'typebox';
import { nullable, PersonEmail, successOf, Time, toTime } from '../../platform/admin-api/admin-responses.js';
import type { Job } from './background-jobs.js';

/** How jobs are shown: in the list of jobs, and in the responses of the routes that start one. */

export const JOB_EXAMPLE_ID = '0199c1a2-7b3c-7d4e-8f5a-6b7c8d9e0f1a';

export const JobKindSchema = Type.Union([
  Type.Literal('dry_run'),
  Type.Literal('back_test'),
  Type.Literal('replay'),
  Type.Literal('override_import'),
  Type.Literal('training'),
  Type.Literal('funnel'),
]);

export const JobSchema = Type.Object(
  {
    jobId: Type.String({ format: 'uuid' }),
    kind: JobKindSchema,
    subject: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Null()]), {
      description:
        'What the work is about. Of a replay: `reason` and `eventType`. Of an import: `rows`. Of a dry run: `revision` of the draft or `version`, and `publishedVersion`, which it was compared with. Of a back-test: `revision` or `version`, and `days`. Of a funnel: `steps`, `windowHours`, `from`, `to` and `by`',
    }),
    state: Type.Union([
      Type.Literal('running'),
      Type.Literal('done'),
      Type.Literal('failed'),
      Type.Literal('cancelled'),
    ]),
    createdBy: Type.String(),
    createdByEmail: PersonEmail,
    createdAt: Time('When the job was started'),
    done: Type.Number({ description: 'Progress: players, events, rows or weeks of data, of `total`' }),
    total: nullable(Type.Number({ description: 'Null until it is known' })),
    result: Type.Unknown({
      description:
        'Null until the job is done. As in the response of the route without `background`; of a training `modelVersion`; of a funnel a `FunnelResult`. Left out of lists for dry runs and back-tests, whose results are large',
    }),
    failure: nullable(Type.String({ description: 'Why the job failed, and what to do' })),
    finishedAt: nullable(Time('When the job ended')),
    expiresAt: Time('When the job is deleted'),
  },
  { title: 'Job' },
);

export const JOB_EXAMPLE = {
  jobId: JOB_EXAMPLE_ID,
  kind: 'replay' as const,
  subject: { reason: 'schema_mismatch', eventType: 'Level_Complete' },
  state: 'running' as const,
  createdBy: 'Ada',
  createdByEmail: 'ada@studio.example',
  createdAt: '2026-11-15T12:00:00.000Z',
  done: 200,
  total: 412,
  result: null,
  failure: null,
  finishedAt: null,
  expiresAt: '2026-11-16T12:00:00.000Z',
};

export const JobResponse = successOf('JobResponse', JobSchema, { example: JOB_EXAMPLE });

/** Of routes that can also do their work in the background. */
export const BackgroundQuery = Type.Object({
  background: Type.Optional(
    Type.Union([Type.Literal('true'), Type.Literal('false')], {
      default: 'false',
      description:
        'Responds at once with a job, which goes on without the client: see the list of jobs. Its result is kept for a day',
    }),
  ),
});

export function toJob({ gameId: _, createdAt, finishedAt, expiresAt, ...job }: Job) {
  return {
    ...job,
    createdAt: toTime(createdAt),
    finishedAt: toTime(finishedAt),
    expiresAt: toTime(expiresAt),
  };
}
