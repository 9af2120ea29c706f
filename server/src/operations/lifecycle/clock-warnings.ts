import type { Logger } from 'pino';
import { Gauge, Registry } from 'prom-client';
import {
  type ClockReading,
  type DatabaseClock,
  describeOffset,
  isOff,
  offsetOf,
} from '../../platform/db/database-clock.js';
import type { InstallationWarning } from '../../studio/admin-api/admin-context.js';

const CONSEQUENCE =
  'Until they agree to a minute, this node goes by the clock of the database and refuses maintenance: it deletes nothing, and sums and closes no day.';

/** For `/readyz` and the console: empty while the clock is right. */
export function clockWarnings(reading: ClockReading | undefined): readonly InstallationWarning[] {
  if (reading === undefined || !isOff(reading)) return [];
  return [{ code: 'clock_off', message: `${describeOffset(reading)} ${CONSEQUENCE}` }];
}

/** Called when the clock goes wrong, and when it is right again. */
export function logClock(logger: Logger, reading: ClockReading): void {
  const line = { clockOffsetSeconds: offsetOf(reading) / 1_000 };
  const [warning] = clockWarnings(reading);
  if (warning !== undefined) logger.error(line, warning.message);
  else logger.info(line, 'The clock of this node agrees with the clock of the database again.');
}

export function createClockMetrics(clock: Pick<DatabaseClock, 'reading'>): { registry: Registry } {
  const registry = new Registry();
  new Gauge({
    name: 'savepoint_clock_offset_seconds',
    help: 'How far the clock of this node is ahead of the clock of the database. Beyond 60 in either direction the node refuses maintenance.',
    registers: [registry],
    collect() {
      const reading = clock.reading();
      if (reading === undefined) this.reset();
      else this.set(offsetOf(reading) / 1_000);
    },
  });
  return { registry };
}
