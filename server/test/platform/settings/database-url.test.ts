import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { readDatabaseUrl } from '../../../src/platform/settings/database-url.js';

const CA = new URL(import.meta.url).pathname;
const BASE = 'postgres://savepoint:hunter2@db.example:6432/game';

describe('DATABASE_URL', () => {
  const urlOf = (given: string, exists?: (path: string) => boolean) => {
    const found = readDatabaseUrl(given, exists);
    if ('problem' in found) throw new Error(found.problem);
    return found.url;
  };
  const sslOf = (parameters: string) => new pg.Client(urlOf(`${BASE}?${parameters}`)).ssl;

  it('stays as it is where it says nothing about TLS', () => {
    for (const given of [BASE, `${BASE}?options=-c%20search_path%3Dgame`, `${BASE}?sslmode=disable`]) {
      expect(urlOf(given)).toBe(given);
    }
  });

  it('encrypts without an authority under require, as PostgreSQL’s own tools do', () => {
    expect(sslOf('sslmode=require')).toEqual({ rejectUnauthorized: false });
  });

  it('verifies against the authority that is named, and the name of the host only under verify-full', () => {
    for (const mode of ['require', 'verify-ca']) {
      const ssl = sslOf(`sslmode=${mode}&sslrootcert=${CA}`);
      expect(ssl).toMatchObject({ ca: expect.any(String), checkServerIdentity: expect.any(Function) });
      expect(ssl).not.toHaveProperty('rejectUnauthorized');
    }
    expect(sslOf(`sslmode=verify-full&sslrootcert=${CA}`)).toEqual({ ca: expect.any(String) });
  });

  it('takes the authorities of the system, or those of Node where the system has no file', () => {
    const system = `${BASE}?sslrootcert=system`;
    const bundle = '/etc/pki/tls/certs/ca-bundle.crt';
    expect(new URL(urlOf(system, (path) => path === bundle)).searchParams.get('sslrootcert')).toBe(bundle);
    expect(urlOf(system, () => false)).toBe(`${BASE}?sslmode=verify-full`);
  });

  it.each([
    ['postgres://u:hunter2@one:5432,two:5432/game', 'names several hosts'],
    ['postgres://u:hunter2@one,two/game?target_session_attrs=read-write', 'names several hosts'],
    [`${BASE}?target_session_attrs=standby`, 'needs the primary'],
    ['postgres://u:hunter2#x@db:port/game', 'cannot be read'],
    ['host=db password=hunter2 dbname=game', 'must look like postgres://'],
    [`${BASE}?sslmode=prefer`, 'Write sslmode=require'],
    [`${BASE}?sslmode=verify-ca`, 'Add sslrootcert='],
    [`${BASE}?sslmode=require&sslrootcert=system`, 'Write sslmode=verify-full'],
    [`${BASE}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`, 'there is no such file'],
  ])('%s is refused with a sentence that says what to write, without the password', (given, sentence) => {
    const found = readDatabaseUrl(given);
    expect(found).toEqual({ problem: expect.stringContaining(sentence) });
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });

  it('of a replica may ask for a standby, and not for the primary', () => {
    const read = (given: string) => readDatabaseUrl(given, undefined, 'DATABASE_REPLICA_URL');
    expect(read(`${BASE}?target_session_attrs=standby`)).toHaveProperty('url');
    expect(read(`${BASE}?target_session_attrs=primary`)).toEqual({
      problem: expect.stringMatching(/^DATABASE_REPLICA_URL asks for .* it needs a standby/),
    });
    expect(read('postgres://u:hunter2@one,two/game')).toEqual({
      problem: expect.stringMatching(/^DATABASE_REPLICA_URL names several hosts.* Name one standby/),
    });
  });
});
