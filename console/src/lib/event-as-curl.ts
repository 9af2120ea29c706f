import type { Schemas } from '../api/client.js';
import { shellQuoted } from './shell-quote.js';

/**
 * Sends an event like this one when it is pasted into a shell. It gets the time of pasting, since the same event would be
 * recognised as a duplicate. The console knows no access token of a player: the shell asks for it.
 */
export function eventAsCurl(
  playerUrl: string,
  studio: string,
  { eventType, payload, metadata }: Pick<Schemas['LiveEvent'], 'eventType' | 'payload' | 'metadata'>,
): string {
  const before = `[{"eventType":${JSON.stringify(eventType)},"timestamp":"`;
  const after = `","payload":${JSON.stringify(payload)},"metadata":${JSON.stringify(metadata)}}]`;
  return [
    `curl -s ${playerUrl}/v1/events -H "Authorization: Bearer \${ACCESS_TOKEN:?set it to the accessToken of a login}" \\`,
    `  -H ${shellQuoted(`X-Tenant-ID: ${studio}`)} -H 'Content-Type: application/json' \\`,
    `  -d ${shellQuoted(before)}"$(date -u +%Y-%m-%dT%H:%M:%SZ)"${shellQuoted(after)}`,
  ].join('\n');
}
