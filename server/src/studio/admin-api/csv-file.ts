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

/** For routes whose numbers may not be complete yet. */
export const PARTIAL_CSV =
  'A CSV file whose days are still being summed has a name that ends in `-partial.csv`, and the response has the header `X-Summing`, such as `days-done=75, days=86`.';

/**
 * Numbers as a file for spreadsheets. CSV has no place for a remark: a line that is no row would become one. So the name of the file and
 * a header say that its numbers are not complete.
 *
 * @param name of the file, without `.csv`
 * @param summing how many days are complete; null: all are
 */
export function sendCsv(
  reply: FastifyReply,
  name: string,
  text: string,
  summing: Readonly<{ daysDone: number; days: number }> | null = null,
) {
  if (summing !== null) reply.header('x-summing', `days-done=${summing.daysDone}, days=${summing.days}`);
  return reply
    .header('content-type', 'text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}${summing === null ? '' : '-partial'}.csv"`)
    .send(text);
}
