type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * What the client reads of a `Response`, and no more. The real one holds its body as a stream, which takes several times the CPU of
 * sending the request. Names of headers are in small letters.
 */
export function plainResponse(status: number, body: string, headers: Headers = {}): Response {
  const response: Pick<Response, 'status' | 'ok' | 'text'> & { headers: Pick<Response['headers'], 'get'> } = {
    status,
    ok: status >= 200 && status < 300,
    headers: {
      get(name) {
        const value = headers[name.toLowerCase()];
        return value === undefined ? null : String(value);
      },
    },
    text: () => Promise.resolve(body),
  };
  return response as Response;
}
