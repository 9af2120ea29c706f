import { readAppleRoots } from '../../core/events/receipts/load-apple-receipts.js';
import { foreignRootWarning } from '../../platform/lib/receipts/apple-root.js';
import type { Settings } from '../../platform/settings/settings.js';
import type { DoctorFinding } from '../../studio/cli/doctor-finding.js';

/** Whoever holds the key of this certificate can sign receipts: an operator compares the fingerprint with Apple's. */
export async function checkAppleRoot({ appleRootFile }: Settings): Promise<DoctorFinding[]> {
  if (appleRootFile === undefined) return [];
  try {
    const roots = await readAppleRoots(appleRootFile);
    return roots.map(({ x509 }) => {
      const warning = foreignRootWarning(x509);
      return {
        name: `root certificate for receipts of Apple: ${x509.subject.replaceAll('\n', ', ')}, SHA-256 ${x509.fingerprint256}`,
        ...(warning === undefined ? {} : { warning }),
      };
    });
  } catch (error) {
    return [{ name: 'root certificate for receipts of Apple', problem: (error as Error).message }];
  }
}
