/** A call to an address of the settings. */
export type OutgoingCall = Readonly<{
  method: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string;
  timeoutMs: number;
  maxBytes: number;
}>;

export type OutgoingResponse = Readonly<{ status: number; text: string }>;

/** Calls another service. No redirect is followed, and time and size of the response are bounded: throws for what exceeds them. */
export async function boundedFetch(
  url: string,
  { method, headers = {}, body, timeoutMs, maxBytes }: OutgoingCall,
): Promise<OutgoingResponse> {
  // The signal also ends the reading of a body that arrives too slowly.
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
    ...(body === undefined ? {} : { body }),
  });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Error(`the response is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return { status: response.status, text: Buffer.concat(chunks).toString('utf8') };
}
