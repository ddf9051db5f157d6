import { fail } from '@candela/kernel';
import { z } from 'zod';
import { defined } from './search.ts';
import { defineTool, pageOf } from './tool.ts';

export const addDatasetItem = defineTool({
  id: 'add_dataset_item',
  title: 'Add to a dataset',
  about: 'An item of a dataset (list datasets): an input, or the messages of a span.',
  input: z.object({
    datasetId: z.string().min(1).max(64),
    input: z.unknown().optional(),
    expectedOutput: z.unknown().optional(),
    span: z.object({ traceId: z.string().max(32), spanId: z.string().max(16) }).optional(),
  }),
  routes: ['addDatasetItems'],
  effect: 'create',
  card: () => ({ title: 'Add an item to the dataset' }),
  async subject(call, { datasetId }) {
    const { data } = (await call('getDataset', { params: { id: datasetId } })) as {
      readonly data: { readonly name: string };
    };
    return data.name;
  },
  async run(call, { datasetId, input, expectedOutput, span }) {
    if ((input === undefined) === (span === undefined)) {
      throw fail('refused', { detail: 'Give either input or span.' });
    }
    const body = span === undefined ? { items: [defined({ input, expectedOutput })] } : { spans: [span] };
    const { data } = (await call('addDatasetItems', { params: { id: datasetId }, body })) as {
      readonly data: { readonly revision: number; readonly ids: readonly string[] };
    };
    return {
      data,
      page: pageOf('/evaluations', { tab: 'datasets', open: datasetId }),
      note: `Added it as revision ${data.revision} of the dataset.`,
    };
  },
});
