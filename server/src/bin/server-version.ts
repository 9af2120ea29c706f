import { readFileSync } from 'node:fs';

/** Of this build, as its package says. */
export function serverVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
