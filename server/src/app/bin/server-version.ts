import { readFileSync } from 'node:fs';
import { inPackage } from '../../platform/package-files.js';

/** Of this build, as its package says. */
export function serverVersion(): string {
  const text = readFileSync(inPackage('package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
