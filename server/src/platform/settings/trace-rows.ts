import { optional, type Setting, text } from './setting-kinds.js';

/** A name of a header and its value, percent-encoded. */
const HEADER = /^([A-Za-z0-9-]+)=((?:[\x21-\x24\x26-\x7e]|%[0-9A-Fa-f]{2})*)$/;

/** Named as OpenTelemetry names them, so that what operators set for other services holds here. */
export const TRACE_ROWS = {
  tracesEndpoint: optional('OTEL_EXPORTER_OTLP_ENDPOINT', {
    shownFallback: 'no traces',
    description:
      'collector of OpenTelemetry to send traces to (OTLP over HTTP, JSON), such as http://127.0.0.1:4318',
    check: checkEndpoint,
  }),
  tracesHeaders: {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    fallback: 'none',
    description: 'headers for the collector as name=value, comma-separated, values percent-encoded',
    read: (given = '', { report }) => readHeaders(given, report),
  } satisfies Setting<Readonly<Record<string, string>>>,
  tracesServiceName: text('OTEL_SERVICE_NAME', {
    fallback: 'savepoint',
    description: 'name of the service in traces',
  }),
  tracesRatio: {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    fallback: '1',
    description:
      'share of requests that are traced, from 0 to 1; a request with a traceparent is traced if that says so',
    read(given = '1', { report }) {
      const ratio = Number(given);
      if (ratio >= 0 && ratio <= 1) return ratio;
      report(`OTEL_TRACES_SAMPLER_ARG is "${given}": set it to a number from 0 to 1, or leave it out.`);
      return 1;
    },
  } satisfies Setting<number>,
} satisfies Record<string, Setting<unknown>>;

/** The sentence does not repeat the address, which may hold a password. */
function checkEndpoint(given: string): string | undefined {
  if (!/^https?:\/\//.test(given) || !URL.canParse(given)) {
    return 'OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address, such as http://127.0.0.1:4318.';
  }
  const { username, password } = new URL(given);
  if (username === '' && password === '') return undefined;
  return 'OTEL_EXPORTER_OTLP_ENDPOINT must not hold a user or a password: set OTEL_EXPORTER_OTLP_HEADERS to authorization=….';
}

/** The sentence does not repeat a value, which may be a password. */
function readHeaders(given: string, report: (problem: string) => void): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const pair of given.split(',').filter((part) => part.trim() !== '')) {
    const [, name, encoded = ''] = HEADER.exec(pair.trim()) ?? [];
    const value = decode(encoded);
    if (name === undefined || value === undefined) {
      report(
        'OTEL_EXPORTER_OTLP_HEADERS must list headers like authorization=Bearer%20abc, separated by commas.',
      );
      return headers;
    }
    headers[name] = value;
  }
  return headers;
}

/** Undefined for what cannot be sent as the value of a header. */
function decode(encoded: string): string | undefined {
  try {
    const value = decodeURIComponent(encoded);
    return /^[\t\x20-\x7e]*$/.test(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
