import type { Config } from '../config.js';
import { DEMO } from '../features/tenancy/demo-studio.js';

/** What a newcomer needs next: where things are and, in development, a login to paste. */
export function printWelcome(
  config: Config,
  port: number,
  opsPort: number,
  say: (line: string) => void,
): void {
  const host = config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host;
  const api = `http://${bracket(host)}:${port}`;
  const ops = `http://${bracket(config.opsHost)}:${opsPort}`;
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
  say(demoLogin(api));
}

/** One login that can be pasted into a shell as it is. */
export function demoLogin(api: string): string {
  return [
    `TS=$(date -u +%Y-%m-%dT%H:%M:%SZ)`,
    `SIG=$(printf '%s' "${DEMO.keyId}|my-device|$TS" | openssl dgst -sha256 -hmac ${DEMO.secret} -binary | openssl base64 -A)`,
    `curl -s ${api}/auth/login -H 'Content-Type: application/json' \\`,
    `  -d '{"apiKey":"${DEMO.keyId}","deviceId":"my-device","timestamp":"'"$TS"'","signature":"'"$SIG"'"}'`,
  ].join('\n');
}

function bracket(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
