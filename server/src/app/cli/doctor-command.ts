import { Command } from 'commander';
import { checkBackups } from '../../operations/cli/doctor-backups.js';
import { examineDatabase } from '../../operations/cli/doctor-database.js';
import { checkFreeSpace } from '../../operations/cli/doctor-disk.js';
import { examineQueue } from '../../operations/cli/doctor-queue.js';
import { readSettings } from '../../platform/settings/settings.js';
import type { DoctorFinding } from '../../studio/cli/doctor-finding.js';
import { say } from '../../studio/cli/terminal.js';
import { checkAppleRoot } from './doctor-apple-root.js';
import { checkFolders } from './doctor-folders.js';

export function doctorCommand(): Command {
  return new Command('doctor')
    .description(
      'check settings, folders, disk, database, clock, permissions and NATS; say what is wrong and what to do',
    )
    .action(async () => {
      const findings = await examine();
      for (const { name, problem, warning, advice } of findings) {
        const what = problem ?? warning;
        const mark = problem !== undefined ? 'PROBLEM' : warning !== undefined ? 'warning' : 'ok     ';
        say(`  ${mark}  ${name}${what === undefined ? '' : `: ${what}`}`);
        if (advice !== undefined) say(`           ${advice}`);
      }
      say(summaryOf(findings));
      if (findings.some(({ problem }) => problem !== undefined)) process.exitCode = 1;
    });
}

export function summaryOf(findings: readonly DoctorFinding[]): string {
  const problems = findings.filter((finding) => finding.problem !== undefined).length;
  const warnings = findings.filter((finding) => finding.warning !== undefined).length;
  if (problems > 0) return `${problems} of ${findings.length} checks found a problem.`;
  if (warnings > 0) return `No problems, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`;
  return 'All is well.';
}

async function examine(): Promise<DoctorFinding[]> {
  const read = readSettings(process.env, { tty: false, asksFolder: true });
  const misspelt = read.warnings.map((warning) => ({ name: 'settings', warning }));
  if (!read.ok) return [...read.problems.map((problem) => ({ name: 'settings', problem })), ...misspelt];
  const { settings } = read;
  return [
    ...(misspelt.length === 0 ? [{ name: `settings (${settings.environment})` }] : misspelt),
    await checkNode(),
    ...(await checkFolders(settings)),
    await checkFreeSpace(settings),
    ...(await checkBackups(settings)),
    ...(await checkAppleRoot(settings)),
    ...(await examineDatabase(settings)),
    ...(settings.nats === undefined ? [] : await examineQueue(settings.nats, settings.environment)),
  ];
}

async function checkNode(): Promise<DoctorFinding> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const old = major < 20 || (major === 20 && minor < 19);
  const name = `Node.js ${process.versions.node}`;
  return old
    ? { name, problem: 'too old', advice: 'Install Node.js 20.19 or newer; 24 is recommended.' }
    : { name };
}
