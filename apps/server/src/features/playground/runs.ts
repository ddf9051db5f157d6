import type { PlaygroundAnswer, PlaygroundRun, PlaygroundRunSummary } from '@candela/contract';
import { asCandelaError, fail, type RequestContext } from '@candela/kernel';
import type { JudgeDocument, MetadataStore } from '@candela/metadata-store';
import { judgeScope } from '../evaluations/service.ts';

/** Runs that are kept of each person; the oldest goes. */
const MOST_OWN = 50;
/** Of all together in a project and environment; the store holds no more. */
const MOST = 1_000;
const TITLE = 120;
const VARIABLES = 'variables';

type Columns = PlaygroundRun['columns'];
/** The body of a document: what a list shows. Columns and variables are its items. */
type Body = Pick<PlaygroundRunSummary, 'title' | 'models' | 'costUsd'>;

export const NO_ANSWER: PlaygroundAnswer = {
  text: '',
  calls: [],
  finish: null,
  error: null,
  usage: null,
  costUsd: null,
  firstTokenMs: null,
  durationMs: null,
};

/** Whose runs: a person's, or those of the key of an application. */
const ownerOf = ({ principal }: RequestContext): string =>
  'id' in principal ? `${principal.kind} ${principal.id}` : principal.kind;

const summaryOf = ({ id, body, createdAt }: JudgeDocument): PlaygroundRunSummary => ({
  id,
  createdAt: new Date(createdAt).toISOString(),
  ...(body as Body),
});

/** What was asked first: the text of a message, or the name of a prompt. */
function titleOf(columns: Columns, variables: Readonly<Record<string, unknown>>): string {
  const [column] = columns;
  const said = column?.messages.findLast(({ role }) => role === 'user');
  const text = said !== undefined && 'text' in said ? said.text : '';
  const filled = Object.values(variables).filter((value) => typeof value === 'string');
  const title = [text, ...filled].join(' · ').replaceAll(/\s+/g, ' ').trim();
  return title.length > TITLE ? `${title.slice(0, TITLE - 1)}…` : title || 'A managed prompt';
}

/** Runs of the playground, each person's own. */
export function createPlaygroundRuns(metadata: MetadataStore) {
  const all = (context: RequestContext) => metadata.judging.list(judgeScope(context), 'playground');
  const isOf = (context: RequestContext) => {
    const owner = ownerOf(context);
    return ({ createdBy }: JudgeDocument) => createdBy === owner;
  };

  /** @throws not_found, also for a run of somebody else */
  async function get(context: RequestContext, id: string): Promise<JudgeDocument> {
    const found = await metadata.judging.get(judgeScope(context), 'playground', id);
    if (!isOf(context)(found)) throw fail('not_found', { what: 'The run of the playground' });
    return found;
  }

  return {
    get,
    list: async (context: RequestContext): Promise<PlaygroundRunSummary[]> =>
      (await all(context)).filter(isOf(context)).map(summaryOf),

    async read(context: RequestContext, id: string): Promise<PlaygroundRun> {
      const document = await get(context, id);
      const items = await metadata.judging.items(document.id, { limit: 10 });
      const bodyOf = (key: string) => items.find((item) => item.key === key)?.body;
      return {
        ...summaryOf(document),
        // Written by `save` and nobody else.
        variables: bodyOf(VARIABLES) as PlaygroundRun['variables'],
        columns: items.filter(({ key }) => key !== VARIABLES).map(({ body }) => body as Columns[number]),
      };
    },

    /** Keeps a run. What cannot be kept is told, and is no failure of the run: its answers were given. */
    async save(
      context: RequestContext,
      run: { readonly columns: Columns; readonly models: readonly string[]; readonly variables: object },
    ): Promise<{ readonly id: string | null; readonly err: string | null }> {
      const { columns, models, variables } = run;
      const id = crypto.randomUUID();
      const body: Body = {
        title: titleOf(columns, { ...variables }),
        models: [...models],
        costUsd: columns.reduce((sum, { answer }) => sum + (answer.costUsd ?? 0), 0),
      };
      try {
        const before = await all(context);
        const full = before.length >= MOST ? before.slice(MOST - 1) : [];
        const old = new Set([...before.filter(isOf(context)).slice(MOST_OWN - 1), ...full]);
        await metadata.change(undefined, async ({ judging }) => {
          for (const document of old) await judging.delete(document);
          const by = ownerOf(context);
          await judging.create(judgeScope(context), { kind: 'playground', id, name: id, body, by });
          await judging.putItems(id, 1, [
            ...columns.map((column, at) => ({ key: String(at), status: 'done', body: column })),
            { key: VARIABLES, status: 'done', body: variables },
          ]);
        });
        return { id, err: null };
      } catch (thrown) {
        return { id: null, err: `The run is not kept: ${asCandelaError(thrown).message}` };
      }
    },
  };
}

export type PlaygroundRuns = ReturnType<typeof createPlaygroundRuns>;
