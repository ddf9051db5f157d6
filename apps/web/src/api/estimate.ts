import type { QueryFunctionContext, QueryKey } from '@tanstack/react-query';

/**
 * Asks for figures that may take seconds: where nothing is shown yet, first for what a sample says of them, which stands until
 * they are there.
 * @param sampleOf the part of the rows that an answer was estimated from; null when it is exact
 */
export const estimatedFirst =
  <Answer, Key extends QueryKey>(
    ask: (how: { readonly early?: true }, signal: AbortSignal) => Promise<Answer>,
    sampleOf: (answer: Answer) => number | null,
  ) =>
  async ({ client, queryKey, signal }: QueryFunctionContext<Key>): Promise<Answer> => {
    if (client.getQueryData(queryKey) === undefined) {
      const first = await ask({ early: true }, signal);
      if (sampleOf(first) === null) return first;
      // Of no age: whoever leaves before the figures are there asks for them once more.
      client.setQueryData<Answer>(queryKey, first, { updatedAt: 0 });
    }
    return await ask({}, signal);
  };
