import { resolve } from 'node:path';
import { sampleLogin } from '../../core/sessions/sample-login.js';
import { httpUrl } from '../../platform/lib/http-url.js';
import { DEFAULT_DATA_DIR } from '../../platform/settings/setting-rows.js';
import type { Settings } from '../../platform/settings/settings.js';
import { DEMO } from '../demo-studio.js';

type Started = Readonly<{
  port: number;
  opsPort: number;
  /** In development: signs in to the demo studio, once. */
  signInPath: string | undefined;
}>;

/** What a newcomer needs next: where things are and, in development, a login to paste. */
export function printWelcome(settings: Settings, started: Started, say: (line: string) => void): void {
  const { port, opsPort, signInPath } = started;
  const host = settings.host === '0.0.0.0' || settings.host === '::' ? '127.0.0.1' : settings.host;
  const api = httpUrl(host, port);
  const ops = httpUrl(settings.opsHost, opsPort);
  say('');
  say(
    `Savepoint is ready (${settings.environment}, ${settings.workers} API ${settings.workers === 1 ? 'process' : 'processes'}).`,
  );
  say('');
  say(`  Player API      ${api}`);
  say(`  Operations      ${ops}   health /healthz, ready /readyz, metrics /metrics`);
  say(`  API reference   ${ops}/reference/`);
  if (signInPath !== undefined) {
    say(`  Console         ${ops}${signInPath}`);
    say(
      '                  signs you in to the demo studio, once, within the next hour; each start prints a new one',
    );
  }
  say(`  Admin token     ${environmentOf(settings)}npx savepoint admin-token create --role owner`);
  if (settings.environment === 'development') sayDemoLogin(api, say);
  say('');
  say('Press Ctrl-C to stop.');
}

/** What a command in another terminal needs to find the same database. */
function environmentOf({ environment, databaseUrl, dataDir }: Settings): string {
  const isElsewhere = databaseUrl === undefined && dataDir !== resolve(DEFAULT_DATA_DIR);
  return [
    environment === 'development' ? 'SAVEPOINT_ENV=development ' : '',
    isElsewhere ? `SAVEPOINT_DATA_DIR='${dataDir.replaceAll("'", "'\\''")}' ` : '',
  ].join('');
}

function sayDemoLogin(api: string, say: (line: string) => void): void {
  say('');
  say(`  Demo studio     tenant ${DEMO.tenant}, game ${DEMO.game}`);
  say(`  Development key ${DEMO.keyId}, secret ${DEMO.secret} (works in development only)`);
  say('');
  say('Log in from another terminal:');
  say('');
  say(sampleLogin(api, DEMO));
}
