import { DEMO } from '../app/demo-studio.js';
import { sampleLogin } from '../features/sessions/sample-login.js';
import { httpUrl } from '../lib/http-url.js';
import type { Config } from '../settings/settings.js';

/** What a newcomer needs next: where things are and, in development, a login to paste. */
export function printWelcome(
  config: Config,
  port: number,
  opsPort: number,
  say: (line: string) => void,
): void {
  const host = config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host;
  const api = httpUrl(host, port);
  const ops = httpUrl(config.opsHost, opsPort);
  say('');
  say(
    `Savepoint is ready (${config.environment}, ${config.workers} API ${config.workers === 1 ? 'process' : 'processes'}).`,
  );
  say('');
  say(`  Player API      ${api}`);
  say(`  Operations      ${ops}   health /healthz, ready /readyz, metrics /metrics`);
  say(`  API reference   ${ops}/reference/`);
  const environment = config.environment === 'development' ? 'SAVEPOINT_ENV=development ' : '';
  say(`  Admin token     ${environment}npx savepoint admin-token create --role owner`);
  if (config.environment === 'development') sayDemoLogin(api, say);
  say('');
  say('Press Ctrl-C to stop.');
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
