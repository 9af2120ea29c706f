/** 128 random bits in 26 letters and digits. React Native without a polyfill has no `crypto`. */
export function randomId(): string {
  const bytes = new Uint8Array(26);
  if (typeof crypto !== 'undefined') crypto.getRandomValues(bytes);
  else for (let i = 0; i < bytes.length; i++) bytes[i] = Math.random() * 256;
  return Array.from(bytes, (byte) => (byte & 31).toString(32)).join('');
}
