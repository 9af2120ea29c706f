import { readFile } from 'node:fs/promises';
import { type AppleReceipts, createAppleReceipts } from '../../../platform/lib/receipts/apple-receipts.js';
import { foreignRootWarning } from '../../../platform/lib/receipts/apple-root.js';
import { type Certificate, readCertificateFile } from '../../../platform/lib/receipts/certificates.js';
import { StartupError } from '../../../platform/lib/startup-error.js';
import type { Settings } from '../../../platform/settings/settings.js';

/** Undefined without a root certificate in the settings: then no receipt of Apple is believed. */
export async function loadAppleReceipts({
  appleRootFile,
  environment,
}: Pick<Settings, 'appleRootFile' | 'environment'>): Promise<AppleReceipts | undefined> {
  if (appleRootFile === undefined) return undefined;
  const roots = await readAppleRoots(appleRootFile);
  return createAppleReceipts({ roots, isDevelopment: environment === 'development' });
}

/** One sentence for each root certificate of the settings that is not Apple's own. */
export async function listForeignRoots({
  appleRootFile,
}: Pick<Settings, 'appleRootFile'>): Promise<string[]> {
  if (appleRootFile === undefined) return [];
  const roots = await readAppleRoots(appleRootFile);
  return roots.flatMap(({ x509 }) => foreignRootWarning(x509) ?? []);
}

/** The certificates of SAVEPOINT_APPLE_ROOT_FILE. */
export async function readAppleRoots(file: string): Promise<Certificate[]> {
  try {
    return readCertificateFile(await readFile(file));
  } catch (error) {
    throw new StartupError(
      `SAVEPOINT_APPLE_ROOT_FILE (${file}) cannot be used: ${(error as Error).message}. Download "Apple Root CA - G3" from Apple's PKI page.`,
    );
  }
}
