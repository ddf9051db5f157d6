import type { ModelConfig } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';

/** Language models that are configured where the environment leads to. */
export const modelsQuery = (environment: string | undefined) =>
  queryOptions({
    queryKey: ['models', environment],
    queryFn: ({ signal }): Promise<ModelConfig[]> =>
      call('listModels', { environment, signal }).then((answer) => answer.data),
  });
