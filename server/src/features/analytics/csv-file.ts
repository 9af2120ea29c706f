import type { FastifyReply } from 'fastify';

/** Numbers as a file for spreadsheets. */
export function sendCsv(reply: FastifyReply, fileName: string, text: string) {
  return reply
    .header('content-type', 'text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .send(text);
}
