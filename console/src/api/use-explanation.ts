import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ApiProblem, call, type RequestOf, type Schemas } from './client.js';
import { keyOf, usePlace } from './hooks.js';

export type Explanation = Schemas['Explanation'];
export type ExplanationQuery = UseQueryResult<Explanation, ApiProblem>;
type Question = NonNullable<RequestOf<'explain'>['body']>;

/** Documents do not change: each has a number of its own, so that none has to be compared text by text. */
const numbers = new WeakMap<object, number>();
let last = 0;

function numberOf(document: object): number {
  const known = numbers.get(document);
  if (known !== undefined) return known;
  last += 1;
  numbers.set(document, last);
  return last;
}

/**
 * What a player, real or invented, is told at a moment, under a version or a document as it is typed, and why. It changes nothing,
 * so it is kept like anything else that is read.
 */
export function useExplanation(question: Question | undefined): ExplanationQuery {
  const { studio, game } = usePlace();
  const { document, ...rest } = question ?? {};
  return useQuery<Explanation, ApiProblem>({
    queryKey: keyOf(studio, 'explain', {
      game,
      ...rest,
      ...(document === undefined ? {} : { document: numberOf(document) }),
    }),
    queryFn: ({ signal }) =>
      call('explain', { params: { game }, ...(question && { body: question }) }, { studio, signal }),
    placeholderData: (before) => before,
    enabled: question !== undefined,
  });
}
