import { execFileSync, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, login, post, type Service, startService, temporaryFolder } from '../support/service.js';

const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));
const ALERTS = join(DEPLOY, 'prometheus/alerts.yml');
const SCRAPE_SECONDS = 2;
const ROUNDS = 15;

/** These have no value on a node without NATS or a replica, or before anything was refused, lost or trained. */
const MAY_BE_EMPTY =
  /savepoint_queue_|savepoint_failed_events_total|savepoint_shed_requests_total|savepoint_prediction_|savepoint_replica_/;

type Expression = Readonly<{ where: string; text: string }>;
type Dashboard = { panels: { title: string; targets?: { expr: string }[] }[] };
type Rules = { data: { groups: { rules: { name: string; query: string }[] }[] } };

/** A real Prometheus scrapes a real node; then each expression of the dashboard has a value, and no alert fires. */
export async function tryMonitoring(): Promise<readonly string[]> {
  execFileSync('promtool', ['check', 'rules', ALERTS], { stdio: 'inherit' });
  execFileSync('promtool', ['test', 'rules', join(DEPLOY, 'prometheus/alerts.test.yml')], {
    stdio: 'inherit',
  });
  const folder = await temporaryFolder();
  const service = await startService({
    SAVEPOINT_DATA_DIR: folder,
    SAVEPOINT_BACKUP_DIR: join(await temporaryFolder(), 'backups'),
    SAVEPOINT_EVENT_FILES_DIR: join(await temporaryFolder(), 'files'),
  });
  const prometheus = await startPrometheus(await temporaryFolder(), new URL(service.ops).host);
  try {
    await playFor(service, ROUNDS);
    const problems: string[] = [];
    for (const { where, text } of await dashboardExpressions()) {
      const values = await ask(prometheus.url, text);
      if (typeof values === 'string') problems.push(`${where}: ${values}`);
      else if (values.length === 0 && !MAY_BE_EMPTY.test(text))
        problems.push(`${where}: no value for ${text}`);
    }
    for (const { where, text } of await alertExpressions(prometheus.url)) {
      const values = await ask(prometheus.url, text);
      if (typeof values === 'string') problems.push(`${where}: ${values}`);
      else if (values.length > 0) problems.push(`${where} fires on a healthy node: ${text}`);
    }
    return problems;
  } finally {
    prometheus.stop();
    await service.interrupt();
  }
}

async function startPrometheus(folder: string, target: string) {
  const config = {
    global: { scrape_interval: `${SCRAPE_SECONDS}s`, evaluation_interval: `${SCRAPE_SECONDS}s` },
    rule_files: [ALERTS],
    scrape_configs: [{ job_name: 'savepoint', static_configs: [{ targets: [target] }] }],
  };
  // JSON is YAML, too.
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const { port, release } = await freePort();
  await release();
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill('SIGTERM') };
}

/** Some of everything that a player does, for as many rounds: rates need several scrapes. */
async function playFor(service: Service, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const { headers, refreshToken } = await login(service.api, `device-${round % 3}`);
    const event = {
      eventType: 'Level_Complete',
      timestamp: new Date().toISOString(),
      payload: { level: round },
    };
    await post(`${service.api}/v1/events`, headers, [event]);
    await post(`${service.api}/auth/refresh`, {}, { refreshToken });
    await sleep(SCRAPE_SECONDS * 1000);
  }
}

async function dashboardExpressions(): Promise<Expression[]> {
  const { panels } = JSON.parse(await readFile(join(DEPLOY, 'grafana/savepoint.json'), 'utf8')) as Dashboard;
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      where: `the panel "${title}"`,
      text: expr.replaceAll('$__rate_interval', '30s').replaceAll('$node', '.*').replaceAll('[5m]', '[30s]'),
    })),
  );
}

/** As Prometheus has read them. */
async function alertExpressions(url: string): Promise<Expression[]> {
  const { data } = (await (await fetch(`${url}/api/v1/rules`)).json()) as Rules;
  return data.groups.flatMap(({ rules }) => rules.map(({ name, query }) => ({ where: name, text: query })));
}

/** The values, or what Prometheus says is wrong. */
async function ask(url: string, expression: string): Promise<readonly unknown[] | string> {
  const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
  const body = (await response.json()) as { data?: { result: unknown[] }; error?: string };
  return body.data?.result ?? body.error ?? `status ${response.status}`;
}
