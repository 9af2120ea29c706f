import { type FastifyBaseLogger, LogController } from 'fastify';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Settings } from '../settings/settings.js';
import { prettyLine } from './pretty-line.js';

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

export function createLogger({ logLevel, logPretty }: Pick<Settings, 'logLevel' | 'logPretty'>): Logger {
  const options = {
    level: logLevel,
    base: { pid: process.pid },
    redact: { paths: REDACTED, censor: '[redacted]' },
  };
  return logPretty ? pino(options, prettyOutput()) : pino(options);
}

/** In this thread: a line for people is for a terminal, which has few of them. */
function prettyOutput(): DestinationStream {
  const output = pino.destination(process.stdout.fd);
  const hasColours = process.stdout.isTTY && process.stdout.hasColors();
  return { write: (line) => void output.write(prettyLine(line, hasColours)) };
}

/** Fastify's own request lines are off: ours say who and which route, see observation.ts. */
export function quietLogs(): LogController {
  return new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' });
}

/** Fastify logs each address on which it listens, in each process. The banner of the start has them. */
export function fastifyLogger(logger: Logger): FastifyBaseLogger {
  return logger.level === 'info' ? logger.child({}, { level: 'warn' }) : logger;
}
