/** Undefined for what is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function indented(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
