import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/client.ts';

/**
 * An action that changes what the server has; afterwards the queries it touches are asked again, also when it was
 * refused because what is shown is no longer so. `forgets`: what was sent is kept nowhere afterwards.
 */
export function useApiMutation<In, Out>(
  run: (input: In) => Promise<Out>,
  about: { touches: readonly QueryKey[]; onDone?: (out: Out) => void; forgets?: true },
) {
  const client = useQueryClient();
  const askAgain = () => Promise.all(about.touches.map((queryKey) => client.invalidateQueries({ queryKey })));
  return useMutation({
    mutationFn: run,
    ...(about.forgets === true ? { gcTime: 0 } : {}),
    onSuccess: async (out) => {
      await askAgain();
      about.onDone?.(out);
    },
    onError: async (error) => {
      if (error instanceof ApiError && (error.status === 404 || error.status === 409)) await askAgain();
    },
  });
}
