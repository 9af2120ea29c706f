import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../platform/errors.js';
import { decompress } from '../../platform/http/body-parser.js';
import { decodeText } from '../../platform/lib/decode-text.js';

/** For routes that take a file: a body of `text/csv` is a text. */
export function parseCsvBodies(app: FastifyInstance): void {
  app.addContentTypeParser(
    'text/csv',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, raw: Buffer) => {
      const decoded = decodeText(await decompress(request, raw));
      if (decoded.ok) return decoded.text;
      throw new ApiError('invalid_utf8', { message: `The file ${decoded.reason}` });
    },
  );
}
