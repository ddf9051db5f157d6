import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';

/** An action that changes what the server has; afterwards the queries it touches are asked again. */
export function useAct<In, Out>(
  run: (input: In) => Promise<Out>,
  about: { touches: readonly QueryKey[]; onDone?: (out: Out) => void },
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: async (out) => {
      await Promise.all(about.touches.map((queryKey) => client.invalidateQueries({ queryKey })));
      about.onDone?.(out);
    },
  });
}
