import { expect, it } from 'vitest';
import { type Job, outcomeOf, progressOf, titleOf } from '../src/lib/jobs.js';

const job = (kind: Job['kind'], change: Partial<Job> = {}): Job => ({
  jobId: '1',
  kind,
  subject: {},
  state: 'running',
  createdBy: 'Olga',
  createdByEmail: null,
  createdAt: '2026-11-15T12:00:00.000Z',
  done: 0,
  total: null,
  result: null,
  failure: null,
  finishedAt: null,
  expiresAt: '2026-11-16T12:00:00.000Z',
  ...change,
});

it('says what a job is about', () => {
  expect(titleOf(job('dry_run', { subject: { revision: 3, version: null } }))).toBe('Dry run of the draft');
  expect(titleOf(job('dry_run', { subject: { revision: null, version: 7 } }))).toBe('Dry run of v7');
  const replay = { reason: 'schema_mismatch', eventType: 'Shot' };
  expect(titleOf(job('replay', { subject: replay }))).toBe('Replay of schema_mismatch, Shot');
  expect(titleOf(job('replay', { subject: { ...replay, eventType: null } }))).toBe(
    'Replay of schema_mismatch',
  );
  expect(titleOf(job('override_import', { subject: { rows: 1 } }))).toBe('Flags from a file, 1 row');
});

it('says how far it is, and what came of it', () => {
  expect(progressOf(job('replay'))).toBe('Starting…');
  expect(progressOf(job('dry_run', { done: 2_000, total: 20_311 }))).toBe('2,000 of 20,311 players');
  const replayed = { total: 412, replayed: 410, duplicates: 3, failed: 2 };
  expect(outcomeOf(job('replay', { result: replayed }))).toBe('410 of 412 events replayed, 2 still refused');
  const trained = { modelVersion: 3, isPromoted: true };
  expect(outcomeOf(job('training', { result: trained }))).toBe('Training 3 is done and in force.');
});
