import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.js';
import { decodeJson } from '../lib/json-body.js';

/** A decoded JSON body with what the checks need to know about the text it came from. */
export type JsonBody = { value: unknown; text: string; bytes: number; suspicious: boolean };

declare module 'fastify' {
  interface FastifyRequest {
    /** What `body` was decoded from; undefined without a body, and where a scope decodes for itself. */
    json: JsonBody | undefined;
  }
}

const JSON_TYPE = 'application/json';

type Decompress = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const inflateZlib = promisify(zlib.inflate) as Decompress;
const inflateRaw = promisify(zlib.inflateRaw) as Decompress;

const decompressors = new Map<string, Decompress>([
  ['gzip', promisify(zlib.gunzip) as Decompress],
  ['x-gzip', promisify(zlib.gunzip) as Decompress],
  ['br', promisify(zlib.brotliDecompress) as Decompress],
  // "deflate" means the zlib format, but many clients send it bare; the first byte of a zlib header tells.
  [
    'deflate',
    (bytes, options) => (((bytes[0] ?? 0) & 0x0f) === 8 ? inflateZlib : inflateRaw)(bytes, options),
  ],
]);
// Node 22.15 and newer.
const zstd = (zlib as unknown as { zstdDecompress?: typeof zlib.gunzip }).zstdDecompress;
if (zstd !== undefined) decompressors.set('zstd', promisify(zstd) as Decompress);

export const supportedEncodings = (): string[] =>
  [...decompressors.keys()].filter((name) => name !== 'x-gzip');

/**
 * Reads `application/json` bodies: decompressed, strictly decoded, parsed without coercion or hidden rules. An empty body
 * is no body. The size limit of the route holds for the bytes on the wire and for what they unpack to.
 */
export function registerBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.decorateRequest('json', undefined);
  app.addContentTypeParser(JSON_TYPE, { parseAs: 'buffer' }, async (request: FastifyRequest, raw: Buffer) => {
    const bytes = await decompress(request, raw);
    if (bytes.length === 0) return undefined;
    request.json = decodeBody(bytes);
    return request.json.value;
  });
  // Many HTTP libraries send a POST without a body under some other type. A request without bytes has no body, whatever its
  // type.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, raw: Buffer) => {
    if (raw.length > 0) throw new ApiError('unsupported_media_type');
    return undefined;
  });
}

/** For a scope that decodes its bodies itself, later: `request.body` is the raw bytes there. */
export function registerBytesParser(app: FastifyInstance): void {
  app.removeContentTypeParser(JSON_TYPE);
  app.addContentTypeParser(JSON_TYPE, { parseAs: 'buffer' }, decompress);
}

export function decodeBody(bytes: Buffer): JsonBody {
  const decoded = decodeJson(bytes);
  if (!decoded.ok) throw new ApiError(decoded.code, { message: decoded.message });
  const { value, text, suspicious } = decoded;
  return { value, text, bytes: bytes.length, suspicious };
}

/** The body after the Content-Encoding was undone. */
export async function decompress(request: FastifyRequest, raw: Buffer): Promise<Buffer> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity') return raw;
  const decompressor = decompressors.get(encoding);
  if (decompressor === undefined) throw new ApiError('unsupported_encoding');
  if (raw.length === 0) return raw;
  const limit = request.routeOptions.bodyLimit ?? 0;
  try {
    return await decompressor(raw, { maxOutputLength: limit });
  } catch (error) {
    const code = (error as { code?: string }).code;
    throw new ApiError(code === 'ERR_BUFFER_TOO_LARGE' ? 'body_too_large' : 'encoding_invalid');
  }
}
