import type { FastifyReply } from 'fastify';
import { type TSchema, Type } from 'typebox';

/** The documentation of a response with numbers: as JSON, or as a file for spreadsheets. */
export function jsonOrCsv(description: string, json: TSchema, csvExample: string) {
  return {
    description,
    content: {
      'application/json': { schema: json },
      'text/csv': { schema: Type.String({ examples: [csvExample] }) },
    },
  };
}

/** Numbers as a file for spreadsheets. */
export function sendCsv(reply: FastifyReply, fileName: string, text: string) {
  return reply
    .header('content-type', 'text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .send(text);
}
