import { describe, expect, it } from 'vitest';
import { chooseBackup, parseMoment } from '../../../../src/operations/cli/restore-command.js';
import { isCutOff } from '../../../../src/platform/embedded-postgres/backup/backup-due.js';
import {
  type Backup,
  backupName,
  claimBackupFolder,
} from '../../../../src/platform/embedded-postgres/backup/backup-folder.js';
import {
  formatManifest,
  type Manifest,
  parseManifest,
} from '../../../../src/platform/embedded-postgres/backup/manifest.js';
import {
  divideBackups,
  unneededFiles,
} from '../../../../src/platform/embedded-postgres/backup/prune-backups.js';
import { missingAfter } from '../../../../src/platform/embedded-postgres/backup/verify-archive.js';
import {
  segmentAfter,
  segmentsBetween,
  startOf,
  unbrokenFrom,
} from '../../../../src/platform/embedded-postgres/backup/wal-segments.js';
import { StartupError } from '../../../../src/platform/lib/startup-error.js';

const segment = (n: number, timeline = 1) =>
  `0000000${timeline}00000000000000${n.toString(16).toUpperCase().padStart(2, '0')}`;

function backupOf(day: number, start: number): Backup {
  const at = new Date(Date.UTC(2026, 10, day, 7));
  const manifest: Manifest = {
    format: 1,
    postgres: '18.4',
    systemIdentifier: '7',
    startSegment: segment(start),
    startLsn: '0/2000028',
    stopSegment: segment(start),
    stopLsn: '0/2000120',
    startedAt: at.toISOString(),
    finishedAt: at.toISOString(),
    folders: ['base'],
    files: [{ path: 'cluster/PG_VERSION', size: 3, sha256: 'a'.repeat(64) }],
  };
  return { name: backupName(at), folder: `/backups/${backupName(at)}`, manifest };
}

describe('segments of the log', () => {
  it('are counted on across a logical file', () => {
    expect(segmentAfter('0000000100000000000000FF')).toBe('000000010000000100000000');
    expect(segmentsBetween('0000000100000000000000FE', '000000010000000100000001')).toEqual([
      '0000000100000000000000FE',
      '0000000100000000000000FF',
      '000000010000000100000000',
      '000000010000000100000001',
    ]);
    expect(segmentsBetween(segment(3), segment(2))).toEqual([]);
    expect(startOf('00000001000000020000000A')).toBe('2/A000000');
  });

  it('are used up to the first gap', () => {
    const available = new Set([segment(2), segment(3), segment(5), segment(4, 2)]);
    expect(unbrokenFrom(segment(2), available)).toEqual([segment(2), segment(3)]);
    expect(missingAfter(segment(2), available)).toBe(segment(4));
    expect(missingAfter(segment(5), available)).toBeUndefined();
  });

  it('call for another backup after a gap, or on a new timeline', () => {
    const from2 = { startSegment: segment(2) };
    expect(isCutOff(from2, new Set([segment(2), segment(3)]))).toBe(false);
    expect(isCutOff(from2, new Set([segment(2), segment(4)]))).toBe(true);
    expect(isCutOff(from2, new Set([segment(2), segment(3, 2)]))).toBe(true);
  });
});

describe('manifest', () => {
  const { manifest } = backupOf(18, 2);

  it('is read as it was written', () => {
    expect(parseManifest(formatManifest(manifest))).toEqual(manifest);
  });

  it('is refused when it was changed or cut', () => {
    const text = formatManifest(manifest);
    expect(() => parseManifest(text.replace('0/2000028', '0/2000029'))).toThrow('was changed');
    expect(() => parseManifest(text.slice(0, -20))).toThrow();
  });
});

describe('pruning', () => {
  const backups = [backupOf(16, 2), backupOf(17, 8), backupOf(18, 20)];

  it('keeps the newest backups', () => {
    expect(divideBackups(backups, 2)).toEqual({ deleted: [backups[0]], kept: [backups[1], backups[2]] });
    expect(divideBackups(backups, 7)).toEqual({ deleted: [], kept: backups });
  });

  it('deletes the log before the oldest of them, on all timelines, and no history of timelines', () => {
    const names = [segment(7), segment(8), segment(7, 2), segment(9, 2)].map((name) => `${name}.gz`);
    const others = ['00000002.history.gz', 'notes'];
    expect(unneededFiles([...names, ...others], backups.slice(1))).toEqual([
      `${segment(7)}.gz`,
      `${segment(7, 2)}.gz`,
    ]);
    expect(unneededFiles(names, [])).toEqual([]);
  });
});

describe('the backup to begin with', () => {
  const backups = [backupOf(16, 2), backupOf(17, 8), backupOf(18, 20)];
  const choose = (at?: string, name?: string) =>
    chooseBackup(backups, '/backups', at === undefined ? undefined : parseMoment(at), name);

  it('is the newest that was finished at the moment', () => {
    expect(choose()).toBe(backups[2]);
    expect(choose('2026-11-17T07:00:00Z')).toBe(backups[1]);
    expect(choose('2026-11-18T07:59:59+01:00')).toBe(backups[1]);
    expect(choose(undefined, backups[0]?.name)).toBe(backups[0]);
  });

  it('is refused in a sentence if there is none', () => {
    expect(() => choose('2026-11-16T06:59:59Z')).toThrow(
      'The earliest moment that can be restored is 2026-11-16T07:00:00.000Z',
    );
    expect(() => choose(undefined, 'other')).toThrow('There is no backup other in /backups.');
    for (const text of ['2026-11-17', '2026-11-17T07:00:00', 'yesterday', '2026-13-17T07:00:00Z'])
      expect(() => choose(text)).toThrow(StartupError);
  });
});

it.each(['/proc/nope', `${process.execPath}/backups`])(
  'backups that cannot be kept in %s say so',
  async (folder) => {
    const claimed = claimBackupFolder(folder, '7');
    await expect(claimed).rejects.toThrow(StartupError);
    await expect(claimed).rejects.toThrow(`Backups cannot be kept in ${folder} (`);
  },
);
