import { expect, it } from 'vitest';
import { parseUserAgent } from '../../../src/platform/lib/parse-user-agent.js';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36';

it.each([
  [CHROME, 'Chrome on Windows'],
  [`${CHROME} Edg/130.0.0.0`, 'Edge on Windows'],
  [`${CHROME} OPR/115.0.0.0`, 'Opera on Windows'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/130.0 Mobile/15E148 Safari/604.1',
    'Chrome on iOS',
  ],
  [
    'Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36',
    'Samsung Internet on Android',
  ],
  ['curl/8.5.0', 'curl/8.5.0'],
  [`${'x'.repeat(100)} y`, `${'x'.repeat(59)}…`],
  ['  ', null],
  [undefined, null],
])('%s is %s', (userAgent, browser) => {
  expect(parseUserAgent(userAgent)).toBe(browser);
});
