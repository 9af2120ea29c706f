const LENGTH = 26;
/** A call for random bytes costs more than the bytes, so each call gets many: every event has an id. */
const pool = new Uint8Array(LENGTH * 64);
let used = pool.length;

/** 130 random bits in 26 letters and digits. React Native without a polyfill has no `crypto`. */
export function randomId(): string {
  if (used === pool.length) {
    if (typeof crypto !== 'undefined') crypto.getRandomValues(pool);
    else for (let i = 0; i < pool.length; i++) pool[i] = Math.random() * 256;
    used = 0;
  }
  let id = '';
  for (const end = used + LENGTH; used < end; used++) id += ((pool[used] as number) & 31).toString(32);
  return id;
}
