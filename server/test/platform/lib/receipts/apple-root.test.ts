import { describe, expect, it } from 'vitest';
import { foreignRootWarning } from '../../../../src/platform/lib/receipts/apple-root.js';

/** Of AppleRootCA-G3.cer on Apple's PKI page. */
const OF_APPLE = '63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179';
const fingerprint256 = (OF_APPLE.toUpperCase().match(/../g) ?? []).join(':');

describe('a root certificate for receipts of Apple', () => {
  it('of Apple is nothing to speak of, whatever it is called', () => {
    expect(foreignRootWarning({ subject: 'CN=Apple Root CA - G3', fingerprint256 })).toBeUndefined();
    expect(foreignRootWarning({ subject: '', fingerprint256 })).toBeUndefined();
  });

  it('of somebody else is named, though it says that it is of Apple', () => {
    const warning = foreignRootWarning({
      subject: 'O=Apple Inc.\nCN=Apple Root CA - G3',
      fingerprint256: 'AB:CD',
    });
    expect(warning).toContain("not Apple's (O=Apple Inc., CN=Apple Root CA - G3, SHA-256 AB:CD)");
  });
});
