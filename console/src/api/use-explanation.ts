import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ApiProblem, call, type RequestOf, type Schemas } from './client.js';
import { keyOf, useStudioAndGame } from './hooks.js';

export type Explanation = Schemas['Explanation'];
export type ExplanationQuery = UseQueryResult<Explanation, ApiProblem>;
type Question = NonNullable<RequestOf<'explain'>['body']>;

/** Documents are immutable. Each gets a number, so that cache keys compare numbers and not texts. */
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
 * What a player, real or invented, is told at an instant, under a version or a document as it is typed, and why. The request changes
 * nothing, so its response is cached like that of a read.
 */
export function useExplanation(question: Question | undefined): ExplanationQuery {
  const { studio, game } = useStudioAndGame();
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
