import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ASK_LIMITS } from '../src/insight/event-files/asking/ask-files.js';
import { processMb } from '../src/insight/event-files/asking/ask-process.js';
import { QUESTIONS } from '../src/insight/event-files/event-files-routes.js';
import { SETTINGS } from '../src/platform/settings/settings.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const filesIn = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Of a node at most. */
const QUESTIONS_MB = QUESTIONS.maxConcurrent * processMb(ASK_LIMITS.memoryMb);
const DEPLOY = filesIn('deploy').map((path) => readFileSync(path, 'utf8'));
const found = (texts: readonly string[], pattern: RegExp) =>
  new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([whole, part = whole]) => part)));

it('names only metrics that the service has', () => {
  const sources = filesIn('server/src').map((path) => readFileSync(path, 'utf8'));
  const known = found(sources, /'(savepoint_[a-z_]+)'/g);
  const named = [...found(DEPLOY, /\bsavepoint_[a-z_]+/g)].map((name) =>
    name.replace(/_(bucket|count|sum)$/, ''),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

it('names only settings that the service has', () => {
  const known = new Set(SETTINGS.map(({ name }) => name));
  const named = [...found(DEPLOY, /\b(?:SAVEPOINT_[A-Z_]+|DATABASE_URL|NATS_URL)\b/g)];
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

it('explains every alert, and no other', () => {
  const alerts = found([read('deploy/prometheus/alerts.yml')], /alert: (\w+)/g);
  const explained = found([read('docs/production.md')], /^\| `(Savepoint\w+)`/gm);
  expect(explained).toEqual(alerts);
});

describe('images', () => {
  const { services } = parse(read('deploy/compose.yaml')) as {
    services: Record<string, { image: string; build?: object; environment?: Record<string, string> }>;
  };

  it('are pinned by a digest, beside the tag that it is of', () => {
    const built = [...read('deploy/docker/Dockerfile').matchAll(/^FROM (\S+)(?: AS (\S+))?$/gm)];
    const stages = new Set(built.map(([, , stage]) => stage));
    const pulled = [
      ...built.map(([, image = '']) => image).filter((image) => !stages.has(image)),
      ...Object.values(services)
        .filter(({ build }) => build === undefined)
        .map(({ image }) => image),
    ];
    expect(pulled).toHaveLength(5);
    for (const image of pulled) expect(image).toMatch(/^[\w/]+:v?\d+\.\d[\w.-]*@sha256:[0-9a-f]{64}$/);
  });

  it('want the passwords of deploy/.env, and docs/production.md has a line for each', () => {
    const wanted = found([read('deploy/compose.yaml')], /\$\{(\w+):\?/g);
    expect(wanted).toEqual(found([read('docs/production.md')], /^echo "(\w+)=.* >> deploy\/\.env$/gm));
    expect(services.savepoint?.environment?.NATS_URL).toMatch(/^nats:\/\/savepoint:\$\{NATS_PASSWORD/);
  });
});

it('leaves room for two questions in SQL, and ends nothing but the question where memory is used up', () => {
  expect(read('deploy/systemd/savepoint.service')).toMatch(/^OOMPolicy=continue$/m);
  const { services } = parse(read('deploy/compose.yaml')) as {
    services: { savepoint: { mem_limit: string } };
  };
  const [, gigabytes] = /^\$\{MEMORY_LIMIT:-(\d+)g\}$/.exec(services.savepoint.mem_limit) ?? [];
  const ofEightCores = 8 * 250 + 200 + QUESTIONS_MB;
  expect(Number(gigabytes) * 1024).toBeGreaterThan(ofEightCores);
  const { resources } = parse(read('deploy/helm/savepoint/values.yaml')) as {
    resources: { limits: { cpu: string; memory: string } };
  };
  const workers = Number(resources.limits.cpu);
  expect(Number.parseInt(resources.limits.memory, 10)).toBeGreaterThan(workers * 250 + 200 + QUESTIONS_MB);
});

it('copies every package of the workspace into the image before npm ci', () => {
  const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
  const dockerfile = read('deploy/docker/Dockerfile');
  for (const name of workspaces) {
    // Once for the build, once for what runs.
    expect(dockerfile.split(`COPY ${name}/package.json ${name}/\n`), name).toHaveLength(3);
  }
});
