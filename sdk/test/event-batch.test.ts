import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventBytes } from '../src/event-batch.js';

/** The number of the event and the comma before it. */
const NUMBER_BYTES = 24;

it('counts the bytes of an event, and never too few', () => {
  const units = fc.constantFrom('a', '\u007f', '\u0080', 'é', '\u07ff', '\u0800', '安', '\uffff', '😀');
  fc.assert(
    fc.property(fc.array(units), (parts) => {
      const event = JSON.stringify({ text: parts.join('') });
      const pairs = parts.filter((part) => part.length === 2).length;
      // Half of a surrogate pair counts three bytes.
      expect(eventBytes(event)).toBe(Buffer.byteLength(event) + 2 * pairs + NUMBER_BYTES);
    }),
  );
});
