import type { DatasetItem, DatasetView } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import type {
  JudgeDocument,
  JudgeItem,
  JudgeScope,
  MetadataStore,
  NewJudgeItem,
} from '@candela/metadata-store';
import { actorName, record } from '../audit/service.ts';
import { compileSchema } from '../evaluations/service.ts';

export { isMap, textOf } from './values.ts';

/** The body of a document of kind `dataset`. */
export interface DatasetBody {
  readonly description: string;
  readonly metadata: Record<string, unknown> | null;
  readonly inputSchema: Record<string, unknown> | null;
  readonly expectedSchema: Record<string, unknown> | null;
}

/** The body of an item. */
export type ItemBody = Pick<
  DatasetItem,
  'input' | 'expectedOutput' | 'metadata' | 'sourceTraceId' | 'sourceSpanId'
>;

const MOST_ITEMS = 100_000;
const iso = (ms: number) => new Date(ms).toISOString();

export const itemView = ({ key, status, body, updatedAt }: JudgeItem): DatasetItem => ({
  id: key,
  ...(body as ItemBody),
  status: status === 'ARCHIVED' ? 'ARCHIVED' : 'ACTIVE',
  updatedAt: iso(updatedAt),
});

/** Datasets of a project and environment. */
export function createDatasets(metadata: MetadataStore) {
  function checks({ inputSchema, expectedSchema }: DatasetBody) {
    try {
      return {
        input: inputSchema === null ? undefined : compileSchema(inputSchema),
        expected: expectedSchema === null ? undefined : compileSchema(expectedSchema),
      };
    } catch (thrown) {
      throw fail('refused', {
        detail: `A schema cannot be used: ${(thrown as Error).message.slice(0, 300)}`,
      });
    }
  }

  return {
    async view(document: JudgeDocument): Promise<DatasetView> {
      const { id, name, revision, createdAt, updatedAt } = document;
      const counts = await metadata.judging.counts(id);
      const [items, archived] = [counts['ACTIVE'] ?? 0, counts['ARCHIVED'] ?? 0];
      const body = document.body as DatasetBody;
      return {
        id,
        name,
        ...body,
        revision,
        items,
        archived,
        createdAt: iso(createdAt),
        updatedAt: iso(updatedAt),
      };
    },

    /** @throws refused for a schema that cannot be used */
    checked(body: DatasetBody): DatasetBody {
      checks(body);
      return body;
    },

    /** What of an item does not fit the schemas of the dataset; undefined: it fits. */
    checker(
      document: JudgeDocument,
    ): (item: Pick<ItemBody, 'input' | 'expectedOutput'>) => string | undefined {
      const { input, expected } = checks(document.body as DatasetBody);
      return (item) => {
        const wrong = input?.(item.input);
        if (wrong !== undefined) return `input: ${wrong}`;
        const other = item.expectedOutput === null ? undefined : expected?.(item.expectedOutput);
        return other === undefined ? undefined : `expectedOutput: ${other}`;
      };
    },

    /** Adds or replaces items as one new revision. @throws refused, not_found, conflict */
    async put(
      context: RequestContext,
      scope: JudgeScope,
      idOrName: string,
      items: readonly NewJudgeItem[],
    ): Promise<JudgeDocument> {
      return metadata.change(undefined, async (repositories) => {
        const { judging } = repositories;
        const before = await judging.get(scope, 'dataset', idOrName);
        if (items.length === 0) return before;
        const counts = await judging.counts(before.id);
        const held = Object.values(counts).reduce((sum, count) => sum + count, 0);
        if (held + items.length > MOST_ITEMS) {
          throw fail('refused', {
            detail: `A dataset has at most ${MOST_ITEMS} items; this one has ${held}.`,
          });
        }
        const after = await judging.update(before, { body: before.body });
        await judging.putItems(after.id, after.revision, items);
        await record(repositories, context, {
          action: 'dataset.change',
          objectKind: 'dataset',
          objectId: after.id,
          details: {
            name: after.name,
            items: items.length,
            revision: after.revision,
            by: actorName(context),
          },
        });
        return after;
      });
    },

    /** All items of a revision, page by page. */
    async *all(documentId: string, revision: number | undefined): AsyncGenerator<JudgeItem> {
      for (let after: number | undefined; ; ) {
        const page = await metadata.judging.items(documentId, { revision, after, limit: 500 });
        yield* page;
        if (page.length < 500) return;
        after = page.at(-1)?.position;
      }
    },
  };
}

export type Datasets = ReturnType<typeof createDatasets>;
