const SIZE = /^(\d{1,7}) ?(MB|GB)$/i;

/** `512MB` or `8GB` in megabytes of 1024 × 1024 bytes; undefined for anything else. */
export function parseMegabytes(text: string): number | undefined {
  const [, digits, unit] = SIZE.exec(text) ?? [];
  if (digits === undefined || unit === undefined) return undefined;
  return Number(digits) * (unit.toUpperCase() === 'GB' ? 1024 : 1);
}
