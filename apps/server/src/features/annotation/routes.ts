import { type AnnotationItem, type AnnotationQueue, parseFilterOrFail } from '@candela/contract';
import { type Clock, fail, type RequestContext } from '@candela/kernel';
import type { JudgeDocument, JudgeItem, MetadataStore } from '@candela/metadata-store';
import type { TelemetryQueries } from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import type { Ingest } from '../../ingest/index.ts';
import { actorName, record } from '../audit/service.ts';
import { judgeScope, kappa, recordScores } from '../evaluations/service.ts';

type QueueHandlers = Pick<
  Handlers,
  | 'listQueues'
  | 'createQueue'
  | 'deleteQueue'
  | 'listQueueItems'
  | 'addQueueItems'
  | 'claimQueueItem'
  | 'labelQueueItem'
  | 'queueAgreement'
>;
type QueueBody = Pick<AnnotationQueue, 'instructions' | 'fields' | 'reviewers' | 'blind'>;
/** Queues that were made before they could be open are blind. */
const bodyOf = ({ body }: JudgeDocument): QueueBody => ({
  blind: true,
  ...(body as Omit<QueueBody, 'blind'>),
});
interface Label {
  readonly reviewer: string;
  readonly name: string;
  readonly values: Readonly<Record<string, string | number>>;
  readonly comment: string | null;
  readonly skipped: string | null;
  readonly at: number;
}
interface ItemBody {
  readonly traceId: string;
  readonly spanId: string | null;
  readonly labels: readonly Label[];
  readonly claims: readonly { readonly reviewer: string; readonly until: number }[];
}

const CLAIM_MS = 900_000;
const PAGE = 500;
const DAY_NS = 86_400_000_000_000n;
const WINDOW_DAYS = 30n;
const iso = (ms: number) => new Date(ms).toISOString();
const given = ({ labels }: ItemBody) => labels.filter(({ skipped }) => skipped === null);

/** Who reviews: a person, or the key that an application uses. */
const reviewerOf = ({ principal }: RequestContext): string =>
  'id' in principal ? `${principal.kind}:${principal.id}` : principal.kind;

const STATUSES: readonly AnnotationItem['status'][] = ['open', 'done', 'disputed', 'skipped'];
const statusOf = ({ status }: JudgeItem): AnnotationItem['status'] =>
  STATUSES.find((one) => one === status) ?? 'open';

function itemView(queue: JudgeDocument, item: JudgeItem, reviewer: string): AnnotationItem {
  const { blind } = bodyOf(queue);
  const body = item.body as ItemBody;
  const status = statusOf(item);
  // Blind until all labels are in; whoever decides a dispute sees them, and why all skipped may be seen by all.
  const isOver = status === 'done' || status === 'disputed';
  const shown = body.labels.filter(
    (label) =>
      !blind || isOver || label.reviewer === reviewer || (status === 'skipped' && label.skipped !== null),
  );
  return {
    id: item.key,
    traceId: body.traceId,
    spanId: body.spanId,
    status,
    labels: shown.map(({ name, values, comment, skipped, at }) => ({
      reviewer: name,
      values: { ...values },
      comment,
      skipped,
      at: iso(at),
    })),
    hidden: body.labels.length - shown.length,
  };
}

/** The items of a queue in their order, page by page. */
async function* itemsOf(
  judging: MetadataStore['judging'],
  documentId: string,
  status?: string,
): AsyncGenerator<JudgeItem> {
  for (let after: number | undefined; ; ) {
    const page = await judging.items(documentId, { status, after, limit: PAGE });
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.position;
  }
}

/** What a label says of a field: a field may be called like something that every object has. */
const valueOf = (values: Label['values'], name: string): string | number | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

/** @throws refused for values that the queue does not ask for */
function checkValues(fields: QueueBody['fields'], values: Readonly<Record<string, string | number>>): void {
  for (const [name, value] of Object.entries(values)) {
    const field = fields.find((one) => one.name === name);
    if (field === undefined) throw fail('refused', { detail: `This queue has no field "${name}".` });
    const allowed = field.kind === 'pass_fail' ? ['pass', 'fail'] : field.options;
    const fits = field.kind === 'number' ? typeof value === 'number' : allowed.includes(String(value));
    if (!fits) {
      const what = field.kind === 'number' ? 'a number' : `one of ${allowed.join(', ')}`;
      throw fail('refused', { detail: `"${name}" takes ${what}.` });
    }
  }
  const missing = fields.find(({ name }) => valueOf(values, name) === undefined);
  if (missing !== undefined) throw fail('refused', { detail: `"${missing.name}" has no value.` });
}

/** Annotation: people label spans, several of them blind to each other, and what they agree on becomes a score. */
export function annotationHandlers({
  metadata,
  queries,
  ingest,
  clock,
}: {
  readonly metadata: MetadataStore;
  readonly queries: TelemetryQueries;
  readonly ingest: Pick<Ingest, 'submit'>;
  readonly clock: Clock;
}): QueueHandlers {
  const get = (context: RequestContext, id: string) => metadata.judging.get(judgeScope(context), 'queue', id);
  const all = (documentId: string): Promise<JudgeItem[]> =>
    Array.fromAsync(itemsOf(metadata.judging, documentId));
  async function view(queue: JudgeDocument): Promise<AnnotationQueue> {
    const { id, name, createdAt } = queue;
    const counts = await metadata.judging.counts(id);
    const of = (status: string) => counts[status] ?? 0;
    const { instructions, fields, reviewers, blind } = bodyOf(queue);
    return {
      id,
      name,
      instructions,
      fields,
      reviewers,
      blind,
      counts: { open: of('open'), done: of('done'), disputed: of('disputed'), skipped: of('skipped') },
      createdAt: iso(createdAt),
    };
  }
  const note = (
    verb: string,
    { id, name }: JudgeDocument,
    details: Record<string, string | number> = {},
  ) => ({
    action: `queue.${verb}` as const,
    objectKind: 'queue',
    objectId: id,
    details: { name, ...details },
  });

  /** The scores that an item comes to: the values that most labels have, or those of who decided. */
  async function score(
    context: RequestContext,
    queue: JudgeDocument,
    item: ItemBody,
    decided: Label | undefined,
  ) {
    const { fields } = bodyOf(queue);
    const labels = decided === undefined ? given(item) : [decided];
    const now = clock.now();
    await recordScores(
      ingest,
      context,
      judgeScope(context).environment,
      fields.flatMap(({ name, kind }) => {
        const values = labels
          .map((label) => valueOf(label.values, name))
          .filter((value) => value !== undefined);
        const [first] = values;
        if (first === undefined) return [];
        const numbers = values.filter((value) => typeof value === 'number');
        return [
          {
            id: `${queue.id}:${item.traceId}:${item.spanId ?? ''}:${name}`,
            timeMs: now,
            name,
            source: 'human' as const,
            traceId: item.traceId,
            spanId: item.spanId,
            reviewer: labels
              .map((label) => label.name)
              .join(', ')
              .slice(0, 250),
            explanation:
              labels
                .map(({ comment }) => comment)
                .filter((text) => text !== null)
                .join('\n') || null,
            ...(kind === 'number'
              ? { value: numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length) }
              : { label: String(first) }),
            ...(kind === 'pass_fail'
              ? {
                  verdict: first === 'fail' ? ('fail' as const) : ('pass' as const),
                  value: first === 'fail' ? 1 : 0,
                }
              : {}),
          },
        ];
      }),
    );
  }

  return {
    listQueues: async ({ context }) => ({
      data: await Promise.all((await metadata.judging.list(judgeScope(context), 'queue')).map(view)),
    }),
    createQueue: async ({ context, body }) => {
      const { name, ...kept } = body;
      const made = await metadata.change(undefined, async (repositories) => {
        const document = await repositories.judging.create(judgeScope(context), {
          kind: 'queue',
          name,
          body: kept satisfies QueueBody,
          by: actorName(context),
        });
        await record(repositories, context, note('create', document));
        return document;
      });
      return { data: await view(made) };
    },
    deleteQueue: async ({ context, params }) => {
      const document = await get(context, params.id);
      await metadata.change(undefined, async (repositories) => {
        await repositories.judging.delete(document);
        await record(repositories, context, note('delete', document));
      });
      return { data: { id: document.id } };
    },
    listQueueItems: async ({ context, params, query }) => {
      const queue = await get(context, params.id);
      const items = await metadata.judging.items(queue.id, { status: query.status, limit: PAGE });
      return { data: items.map((item) => itemView(queue, item, reviewerOf(context))) };
    },
    addQueueItems: async ({ context, params, body, signal }) => {
      const queue = await get(context, params.id);
      const now = BigInt(clock.now()) * 1_000_000n;
      const spans =
        body.spans ??
        (
          await queries.searchSpans(
            context,
            {
              window: { from: now - WINDOW_DAYS * DAY_NS, to: now },
              filter: parseFilterOrFail(body.q ?? '', 'spans'),
              sort: '-start',
              limit: body.limit,
              cursor: undefined,
            },
            signal,
          )
        ).data;
      const added = await metadata.change(undefined, async (repositories) => {
        const fresh = [];
        for (const { traceId, spanId } of spans) {
          const key = `${traceId}:${spanId}`.toLowerCase();
          if ((await repositories.judging.item(queue.id, key)) !== undefined) continue;
          const own: ItemBody = {
            traceId: traceId.toLowerCase(),
            spanId: spanId.toLowerCase(),
            labels: [],
            claims: [],
          };
          fresh.push({ key, status: 'open', body: own });
        }
        await repositories.judging.putItems(queue.id, 1, fresh);
        await record(repositories, context, note('fill', queue, { items: fresh.length }));
        return fresh.length;
      });
      return { data: { added } };
    },
    claimQueueItem: async ({ context, params }) => {
      const queue = await get(context, params.id);
      const { reviewers } = bodyOf(queue);
      const reviewer = reviewerOf(context);
      const now = clock.now();
      // Changes follow one another, in all replicas: two reviewers never take the last place of one item.
      const item = await metadata.change(undefined, async ({ judging }) => {
        // Those that others skipped come last: somebody may know more.
        for (const status of ['open', 'disputed', 'skipped']) {
          for await (const found of itemsOf(judging, queue.id, status)) {
            const body = found.body as ItemBody;
            if (body.labels.some((label) => label.reviewer === reviewer)) continue;
            const others = body.claims.filter((claim) => claim.until > now && claim.reviewer !== reviewer);
            const places = status === 'disputed' ? 1 : reviewers - given(body).length;
            if (others.length >= places) continue;
            const next = { ...body, claims: [...others, { reviewer, until: now + CLAIM_MS }] };
            await judging.setItem(queue.id, found.key, { body: next });
            return { ...found, body: next };
          }
        }
        return undefined;
      });
      return { data: item === undefined ? null : itemView(queue, item, reviewer) };
    },
    labelQueueItem: async ({ context, params, body }) => {
      const queue = await get(context, params.id);
      const { fields, reviewers } = bodyOf(queue);
      const { values, comment = null, skip = null } = body;
      if (skip === null) checkValues(fields, values);
      const reviewer = reviewerOf(context);
      const label: Label = {
        reviewer,
        name: actorName(context),
        values,
        comment,
        skipped: skip,
        at: clock.now(),
      };
      const { item, finished, decided } = await metadata.change(undefined, async (repositories) => {
        const { judging } = repositories;
        const found = await judging.item(queue.id, params.itemId);
        if (found === undefined) throw fail('not_found', { what: 'The item' });
        const before = found.body as ItemBody;
        if (found.status === 'done') throw fail('conflict', { detail: 'This item has all its labels.' });
        if (before.labels.some((one) => one.reviewer === reviewer)) {
          throw fail('conflict', { detail: 'You have labelled this item already.' });
        }
        const next: ItemBody = {
          ...before,
          labels: [...before.labels, label],
          claims: before.claims.filter((claim) => claim.reviewer !== reviewer),
        };
        const all = given(next);
        const isDecision = found.status === 'disputed' && skip === null;
        const isFull = all.length >= reviewers;
        // Numbers are averaged: people who choose the same agree.
        const choices = fields.filter(({ kind }) => kind !== 'number');
        const agreed =
          new Set(all.map((one) => JSON.stringify(choices.map(({ name }) => one.values[name])))).size <= 1;
        const isSkipped = found.status === 'open' && next.labels.length - all.length >= reviewers;
        const left = isSkipped ? 'skipped' : found.status;
        const status = isDecision || (isFull && agreed) ? 'done' : isFull ? 'disputed' : left;
        await judging.setItem(queue.id, found.key, { status, body: next });
        await record(
          repositories,
          context,
          note(skip === null ? 'label' : 'skip', queue, { item: found.key }),
        );
        return {
          item: { ...found, status, body: next },
          finished: status === 'done',
          decided: isDecision ? label : undefined,
        };
      });
      if (finished) await score(context, queue, item.body, decided);
      return { data: itemView(queue, item, reviewer) };
    },
    queueAgreement: async ({ context, params }) => {
      const queue = await get(context, params.id);
      const items = await all(queue.id);
      return {
        data: bodyOf(queue)
          .fields.filter(({ kind }) => kind !== 'number')
          .map(({ name, kind, options }) => {
            const levels = kind === 'pass_fail' ? ['pass', 'fail'] : options;
            const table = levels.map(() => levels.map(() => 0));
            let [pairs, agreed] = [0, 0];
            for (const { body } of items) {
              const [one, other] = given(body as ItemBody).map((label) =>
                levels.indexOf(String(label.values[name])),
              );
              const row = one === undefined ? undefined : table[one];
              if (row === undefined || other === undefined || row[other] === undefined) continue;
              row[other] += 1;
              pairs += 1;
              agreed += Number(one === other);
            }
            return { field: name, pairs, agreed, kappa: kappa(table) };
          }),
      };
    },
  };
}
