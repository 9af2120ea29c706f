import { LogController } from 'fastify';
import { type Logger, pino } from 'pino';
import type { Settings } from '../settings/settings.js';

/**
 * Secrets never reach a log: requests are logged by route and ids only, and should one of these members ever be part of a
 * logged object, it is blanked.
 */
const REDACTED = [
  'authorization',
  'signature',
  'secret',
  'accessToken',
  'refreshToken',
  'password',
  'headers.authorization',
  '*.authorization',
  '*.signature',
  '*.secret',
  '*.accessToken',
  '*.refreshToken',
  '*.password',
];

export function createLogger(settings: Pick<Settings, 'logLevel' | 'logPretty'>): Logger {
  return pino({
    level: settings.logLevel,
    base: { pid: process.pid },
    redact: { paths: REDACTED, censor: '[redacted]' },
    ...(settings.logPretty
      ? {
          transport: {
            target: 'pino-pretty',
            options: { translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname', singleLine: true },
          },
        }
      : {}),
  });
}

/** Fastify's own request lines are off: ours say who and which route, see observation.ts. */
export function quietLogs(): LogController {
  return new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' });
}
