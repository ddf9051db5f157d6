import { fail } from '@candela/kernel';
import type { MetadataStore, NewJudgeItem } from '@candela/metadata-store';
import type { TelemetryQueries } from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import { actorName, record } from '../audit/service.ts';
import { judgeScope, subjectOf } from '../evaluations/service.ts';
import { csvLine, idOf, readItems } from './import.ts';
import { createDatasets, type DatasetBody, itemView } from './service.ts';

type DatasetHandlers = Pick<
  Handlers,
  | 'listDatasets'
  | 'createDataset'
  | 'getDataset'
  | 'deleteDataset'
  | 'listDatasetItems'
  | 'addDatasetItems'
  | 'importDataset'
  | 'exportDataset'
>;

const SHOWN = 20;

/** Datasets: items with what is expected of them, in revisions. */
export function datasetHandlers({
  metadata,
  queries,
}: {
  readonly metadata: MetadataStore;
  readonly queries: TelemetryQueries;
}): DatasetHandlers {
  const datasets = createDatasets(metadata);
  return {
    listDatasets: async ({ context }) => ({
      data: await Promise.all(
        (await metadata.judging.list(judgeScope(context), 'dataset')).map(datasets.view),
      ),
    }),
    getDataset: async ({ context, params }) => ({
      data: await datasets.view(await metadata.judging.get(judgeScope(context), 'dataset', params.id)),
    }),
    createDataset: async ({ context, body }) => {
      const { name, ...given } = body;
      const kept: DatasetBody = datasets.checked(given);
      const made = await metadata.change(undefined, async (repositories) => {
        const document = await repositories.judging.create(judgeScope(context), {
          kind: 'dataset',
          name,
          body: kept,
          by: actorName(context),
        });
        await record(repositories, context, {
          action: 'dataset.create',
          objectKind: 'dataset',
          objectId: document.id,
          details: { name },
        });
        return document;
      });
      return { data: await datasets.view(made) };
    },
    deleteDataset: async ({ context, params }) => {
      const id = await metadata.change(undefined, async (repositories) => {
        const document = await repositories.judging.get(judgeScope(context), 'dataset', params.id);
        await repositories.judging.delete(document);
        await record(repositories, context, {
          action: 'dataset.delete',
          objectKind: 'dataset',
          objectId: document.id,
          details: { name: document.name },
        });
        return document.id;
      });
      return { data: { id } };
    },
    listDatasetItems: async ({ context, params, query }) => {
      const { id } = await metadata.judging.get(judgeScope(context), 'dataset', params.id);
      const { cursor, limit, revision, status } = query;
      const after = cursor === undefined ? undefined : Number(cursor);
      const items = await metadata.judging.items(id, { revision, status, after, limit });
      const last = items.length === limit ? items.at(-1) : undefined;
      return { data: items.map(itemView), nextCursor: last === undefined ? null : String(last.position) };
    },
    addDatasetItems: async ({ context, params, body, signal }) => {
      const scope = judgeScope(context);
      const document = await metadata.judging.get(scope, 'dataset', params.id);
      const fits = datasets.checker(document);
      const items: NewJudgeItem[] = body.items.map(({ id, status, input, ...rest }) => {
        const own = {
          input: input ?? null,
          expectedOutput: rest.expectedOutput ?? null,
          metadata: rest.metadata ?? null,
          sourceTraceId: rest.sourceTraceId ?? null,
          sourceSpanId: rest.sourceSpanId ?? null,
        };
        return { key: idOf({ id, ...own }), status, body: own };
      });
      for (const ids of body.spans) {
        const span = await queries.span(context, ids, signal);
        const { input, output } = subjectOf(span);
        items.push({
          key: `span:${span.traceId}:${span.spanId}`,
          status: 'ACTIVE',
          body: {
            input,
            expectedOutput: output === '' ? null : output,
            metadata:
              span.promptName === null ? null : { prompt: span.promptName, version: span.promptVersion },
            sourceTraceId: span.traceId,
            sourceSpanId: span.spanId,
          },
        });
      }
      for (const [at, { body: own }] of items.entries()) {
        const wrong = fits(own as { input: unknown; expectedOutput: unknown });
        if (wrong !== undefined)
          throw fail('refused', { detail: `Item ${at + 1} does not fit the dataset. ${wrong}` });
      }
      // Of items with one id the last one counts.
      const unique = [...new Map(items.map((item) => [item.key, item])).values()];
      const after = await datasets.put(context, scope, document.id, unique);
      return { data: { revision: after.revision, ids: unique.map(({ key }) => key) } };
    },
    importDataset: async ({ context, params, body }) => {
      const scope = judgeScope(context);
      const document = await metadata.judging.get(scope, 'dataset', params.id);
      const fits = datasets.checker(document);
      const { items, errors } = readItems(body.format, body.text, body.columns);
      const found = [...errors];
      const kept = new Map<string, NewJudgeItem>();
      for (const [at, item] of items.entries()) {
        const own = {
          input: item.input,
          expectedOutput: item.expectedOutput ?? null,
          metadata: item.metadata,
          sourceTraceId: item.sourceTraceId ?? null,
          sourceSpanId: item.sourceSpanId ?? null,
        };
        const wrong = fits(own);
        if (wrong === undefined)
          kept.set(idOf(item), { key: idOf(item), status: item.status ?? 'ACTIVE', body: own });
        else if (found.length < 100) found.push({ line: at + 1, message: wrong });
      }
      const all = [...kept.values()];
      const first = all.slice(0, SHOWN).map(({ key, body: own }) => {
        const { input, expectedOutput } = own as { input: unknown; expectedOutput: unknown };
        return { id: key, input, expectedOutput };
      });
      if (body.preview)
        return { data: { revision: document.revision, items: all.length, first, errors: found } };
      if (found.length > 0) {
        throw fail('refused', {
          detail: `Nothing was imported. Line ${found[0]?.line}: ${found[0]?.message} (${found.length} in all). Mend the file, or ask for a preview first.`,
        });
      }
      const after = await datasets.put(context, scope, document.id, all);
      return { data: { revision: after.revision, items: all.length, first, errors: [] } };
    },
    exportDataset: async ({ context, params, query }) => {
      const document = await metadata.judging.get(judgeScope(context), 'dataset', params.id);
      const { format, revision } = query;
      async function* parts() {
        if (format === 'csv') yield csvLine(['id', 'input', 'expectedOutput', 'metadata', 'status']);
        for await (const item of datasets.all(document.id, revision)) {
          const { updatedAt: _updatedAt, ...view } = itemView(item);
          yield format === 'csv'
            ? csvLine([view.id, view.input, view.expectedOutput, view.metadata, view.status])
            : `${JSON.stringify(view)}\n`;
        }
      }
      return {
        contentType: format === 'csv' ? 'text/csv' : 'application/x-ndjson',
        fileName: `dataset-${document.id.slice(0, 8)}-r${revision ?? document.revision}.${format}`,
        parts: parts(),
      };
    },
  };
}
