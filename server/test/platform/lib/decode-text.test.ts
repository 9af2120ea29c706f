import { expect, it } from 'vitest';
import { decodeText } from '../../../src/platform/lib/decode-text.js';

const UTF_16 = { ok: false, reason: expect.stringMatching(/^is UTF-16, .* Save it as UTF-8/) };

it.each([
  ['UTF-8', Buffer.from('Käse'), { ok: true, text: 'Käse' }],
  ['UTF-8 with a byte order mark', Buffer.from('\ufeffKäse'), { ok: true, text: 'Käse' }],
  ['nothing', Buffer.alloc(0), { ok: true, text: '' }],
  ['a letter', Buffer.from('a'), { ok: true, text: 'a' }],
  ['UTF-16', Buffer.from('\ufeffskuId,active', 'utf16le'), UTF_16],
  ['UTF-16, big-endian', Buffer.from('\ufeffskuId,active', 'utf16le').swap16(), UTF_16],
  ['UTF-16 without a mark', Buffer.from('skuId,active', 'utf16le'), UTF_16],
  ['UTF-16, big-endian, without a mark', Buffer.from('skuId', 'utf16le').swap16(), UTF_16],
  [
    'Windows-1252',
    Buffer.from('Käse', 'latin1'),
    { ok: false, reason: 'is not UTF-8. Save it as UTF-8; spreadsheets call that "CSV UTF-8".' },
  ],
])('%s', (_name, bytes, decoding) => {
  expect(decodeText(bytes)).toEqual(decoding);
});
