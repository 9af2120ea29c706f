import { shellQuoted } from './shell-quote.js';

type Sample = { playerUrl: string; studio: string; apiKey: string; apiSecret: string };

/**
 * A login and a first event to paste into a shell, signed with the time at which they are pasted. The type of the event
 * is a built-in one, which is taken with every setting of a game. Where the login is refused, the refusal is printed.
 */
export function sampleEvent({ playerUrl, studio, apiKey, apiSecret }: Sample): string {
  return [
    `KEY=${shellQuoted(apiKey)}; SECRET=${shellQuoted(apiSecret)}; TS=$(date -u +%Y-%m-%dT%H:%M:%SZ)`,
    'SIG=$(printf \'%s\' "$KEY|my-device|$TS" | openssl dgst -sha256 -hmac "$SECRET" -binary | openssl base64 -A)',
    `LOGIN=$(curl -s ${playerUrl}/auth/login -H 'Content-Type: application/json' \\`,
    `  -d '{"apiKey":"'"$KEY"'","deviceId":"my-device","timestamp":"'"$TS"'","signature":"'"$SIG"'"}')`,
    String.raw`TOKEN=$(printf '%s' "$LOGIN" | sed -n 's/.*"accessToken": *"\([^"]*\)".*/\1/p')`,
    `if [ -z "$TOKEN" ]; then echo "$LOGIN"; else`,
    `  curl -s ${playerUrl}/v1/events -H "Authorization: Bearer $TOKEN" -H ${shellQuoted(`X-Tenant-ID: ${studio}`)} \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '[{"eventType":"Level_Start","timestamp":"'"$TS"'","payload":{"level":1}}]'; fi`,
  ].join('\n');
}
