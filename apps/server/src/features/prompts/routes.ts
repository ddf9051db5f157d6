import { formatVersion, nextVersion, PROMPT_LIMITS, type PromptChat } from '@candela/contract';
import { type Clock, fail, hasRole, parseTime, type RequestContext } from '@candela/kernel';
import type {
  AuditDetails,
  MetadataStore,
  Prompts,
  StorageScope,
  StoredPrompt,
  StoredPromptVersion,
} from '@candela/metadata-store';
import type { Handlers } from '../../http/handlers.ts';
import { callOf } from '../../http/idempotency.ts';
import { actorName, record } from '../audit/service.ts';
import { chatOf, keptChat } from './chat.ts';
import { nameAt, versionAt, writeCursor } from './cursors.ts';
import { choose } from './select.ts';
import { showPrompt, showPublished, showSummary, showVersion } from './show.ts';

type PromptHandlers = Pick<
  Handlers,
  | 'listPrompts'
  | 'createPrompt'
  | 'getPrompt'
  | 'deletePrompt'
  | 'listPromptVersions'
  | 'getPromptVersion'
  | 'diffPrompt'
  | 'savePromptDraft'
  | 'discardPromptDraft'
  | 'publishPrompt'
  | 'setPromptLabel'
  | 'removePromptLabel'
  | 'getPromptUsage'
  | 'getProtectedLabels'
  | 'setProtectedLabels'
>;

type Header = (name: string) => string | undefined;

const contentOf = (
  body: { prompt: string; tags: string[]; metaProperties: Record<string, unknown> } & PromptChat,
) => ({
  prompt: body.prompt,
  chat: keptChat(body),
  tags: body.tags,
  meta: body.metaProperties,
});
const newestOf = (prompt: StoredPrompt): string =>
  prompt.latest === null ? 'none' : formatVersion(prompt.latest.number);

/** @throws forbidden when the label is protected and whoever asks is no admin; keys of applications are none */
async function mayMove(prompts: Prompts, context: RequestContext, labels: readonly string[]): Promise<void> {
  const { principal } = context;
  const role = 'role' in principal ? principal.role : undefined;
  if (role !== undefined && hasRole(role, 'admin')) return;
  const protectedOnes = new Set(await prompts.protectedLabels(context));
  const label = labels.find((one) => protectedOnes.has(one));
  if (label === undefined) return;
  throw fail('forbidden', {
    detail: `The label "${label}" is protected: an admin or owner moves it or takes it away.`,
  });
}

/** The prompt hub as people and programs manage it. What applications fetch is in `compiled.ts`. */
export function promptHandlers(metadata: MetadataStore, clock: Clock): PromptHandlers {
  /** One change with its row of the audit log. */
  async function change(
    asked: {
      readonly context: RequestContext;
      readonly header: Header;
      readonly route: string;
      readonly request: unknown;
    },
    verb: string,
    work: (prompts: Prompts) => Promise<{ readonly prompt: StoredPrompt; readonly details: AuditDetails }>,
  ): Promise<StoredPrompt> {
    const { context, header, route, request } = asked;
    const call = callOf(context, route, header('idempotency-key'), request);
    return metadata.change(call, async (repositories) => {
      const { prompt, details } = await work(repositories.prompts);
      await record(repositories, context, {
        action: `prompt.${verb}`,
        objectKind: 'prompt',
        objectId: prompt.id,
        details: { name: prompt.name, ...details },
      });
      return prompt;
    });
  }

  /** A version of a prompt by what a caller calls it, the draft too. */
  async function find(place: StorageScope, id: string, wanted: string): Promise<StoredPromptVersion> {
    const index = await metadata.prompts.index(place, { id });
    if (index === undefined) throw fail('not_found', { what: 'The prompt' });
    const versionId = wanted === 'draft' ? index.draftId : choose(index, wanted).id;
    const version = versionId === null ? undefined : await metadata.prompts.version(versionId);
    if (version === undefined) throw fail('not_found', { what: `A draft of the prompt "${index.name}"` });
    return version;
  }

  return {
    listPrompts: async ({ context, query }) => {
      const { q, tag, limit, cursor } = query;
      const list = ['prompts', q ?? '', tag ?? ''];
      const { prompts, next } = await metadata.prompts.list(context, {
        search: q,
        tag,
        limit,
        after: nameAt(list, cursor),
      });
      return {
        data: prompts.map(showSummary),
        nextCursor: next === undefined ? null : writeCursor(list, [next]),
      };
    },

    createPrompt: async ({ context, body, header }) => {
      const { name, publish } = body;
      const asked = { context, header, route: 'createPrompt', request: body };
      const prompt = await change(asked, 'create', async (prompts) => {
        const made = await prompts.create(
          context,
          { name, content: contentOf(body), by: actorName(context) },
          publish === undefined ? undefined : nextVersion(undefined, publish),
        );
        return { prompt: made, details: { version: newestOf(made) } };
      });
      return { data: showPrompt(prompt) };
    },

    getPrompt: async ({ context, params }) => ({
      data: showPrompt(await metadata.prompts.get(context, params.id)),
    }),

    deletePrompt: async ({ context, params, header }) => {
      const asked = { context, header, route: 'deletePrompt', request: params };
      const { id } = await change(asked, 'delete', async (prompts) => {
        const prompt = await prompts.get(context, params.id);
        await mayMove(
          prompts,
          context,
          prompt.labels.map(({ label }) => label),
        );
        await prompts.delete(context, params.id);
        return { prompt, details: { versions: prompt.versions } };
      });
      return { data: { id } };
    },

    listPromptVersions: async ({ context, params, query }) => {
      const list = ['prompt-versions', params.id];
      const { versions, next } = await metadata.prompts.versions(context, params.id, {
        limit: query.limit,
        after: versionAt(list, query.cursor),
      });
      return {
        data: versions.map(showPublished),
        nextCursor: next === undefined ? null : writeCursor(list, [next.major, next.minor, next.patch]),
      };
    },

    getPromptVersion: async ({ context, params }) => ({
      data: showVersion(await find(context, params.id, params.version)),
    }),

    diffPrompt: async ({ context, params, query }) => {
      const from = await find(context, params.id, query.from);
      const to = await find(context, params.id, query.to);
      // Seldom asked for: the memory of those who never do is kept free of it.
      const { diffTexts } = await import('@candela/contract/diff');
      const blocks = diffTexts(from.prompt, to.prompt);
      return {
        data: {
          from: showVersion(from),
          to: showVersion(to),
          blocks: blocks.map(({ words, ...block }) =>
            words === undefined ? block : { ...block, words: [...words] },
          ),
        },
      };
    },

    savePromptDraft: async ({ context, params, body, header }) => {
      const asked = { context, header, route: 'savePromptDraft', request: { ...params, body } };
      const prompt = await change(asked, 'save-draft', async (prompts) => {
        const before = await prompts.get(context, params.id);
        const { tags = [], meta = {}, chat = null } = before.draft ?? before.latestVersion ?? {};
        const { messages: _, ...call } = chatOf({ chat });
        const { messages, modelSettings, tools, responseFormat } = body;
        const content = {
          prompt: body.prompt,
          chat: keptChat({
            messages,
            modelSettings: modelSettings ?? call.modelSettings,
            tools: tools ?? call.tools,
            responseFormat: responseFormat ?? call.responseFormat,
          }),
          tags: body.tags ?? tags,
          meta: body.metaProperties ?? meta,
        };
        const input = { content, revision: body.revision, by: actorName(context) };
        const saved = await prompts.saveDraft(context, params.id, input);
        return { prompt: saved, details: { revision: saved.revision } };
      });
      return { data: showPrompt(prompt) };
    },

    discardPromptDraft: async ({ context, params, header }) => {
      const asked = { context, header, route: 'discardPromptDraft', request: params };
      const prompt = await change(asked, 'discard-draft', async (prompts) => ({
        prompt: await prompts.discardDraft(context, params.id),
        details: {},
      }));
      return { data: showPrompt(prompt) };
    },

    publishPrompt: async ({ context, params, body, header }) => {
      const { bump, revision } = body;
      const asked = { context, header, route: 'publishPrompt', request: { ...params, body } };
      const prompt = await change(asked, 'publish', async (prompts) => {
        const published = await prompts.publish(context, params.id, {
          next: (newest) => nextVersion(newest, bump),
          revision,
          by: actorName(context),
        });
        return { prompt: published, details: { version: newestOf(published), bump } };
      });
      return { data: showPrompt(prompt) };
    },

    setPromptLabel: async ({ context, params, body, header }) => {
      const { label, version: wanted } = body;
      const asked = { context, header, route: 'setPromptLabel', request: { ...params, body } };
      const prompt = await change(asked, 'set-label', async (prompts) => {
        await mayMove(prompts, context, [label]);
        const index = await prompts.index(context, { id: params.id });
        if (index === undefined) throw fail('not_found', { what: 'The prompt' });
        const version = choose(index, wanted);
        const before = index.labels.get(label);
        const old = index.versions.find(({ id }) => id === before);
        const labelled = await prompts.setLabel(context, params.id, {
          label,
          versionId: version.id,
          by: actorName(context),
        });
        const from = old === undefined ? null : formatVersion(old);
        return { prompt: labelled, details: { label, from, to: formatVersion(version) } };
      });
      return { data: showPrompt(prompt) };
    },

    removePromptLabel: async ({ context, params, header }) => {
      const { id, label } = params;
      const asked = { context, header, route: 'removePromptLabel', request: params };
      const prompt = await change(asked, 'remove-label', async (prompts) => {
        await mayMove(prompts, context, [label]);
        return { prompt: await prompts.removeLabel(context, id, label), details: { label } };
      });
      return { data: showPrompt(prompt) };
    },

    getProtectedLabels: async ({ context }) => ({
      data: { labels: await metadata.prompts.protectedLabels(context) },
    }),

    setProtectedLabels: async ({ context, body, header }) => {
      const call = callOf(context, 'setProtectedLabels', header('idempotency-key'), body);
      await metadata.change(call, async (repositories) => {
        await repositories.prompts.setProtectedLabels(context, body.labels);
        await record(repositories, context, {
          action: 'prompt.protect-labels',
          objectKind: 'prompt',
          objectId: null,
          details: { labels: body.labels },
        });
        return null;
      });
      return { data: body };
    },

    getPromptUsage: async ({ context, params, query }) => {
      const now = clock.now();
      const { rows, total, truncated } = await metadata.prompts.usage(context, params.id, {
        from: dayOf('from', query.from, now),
        to: dayOf('to', query.to, now),
        limit: PROMPT_LIMITS.usageRows,
      });
      const shown = rows.map(({ number, ...row }) => ({ ...row, version: formatVersion(number) }));
      return { data: { total, rows: shown, truncated } };
    },
  };
}

/** Times that have a year of four digits. */
const LAST_MS = Date.UTC(9999, 11, 31);

function dayOf(name: string, value: string | number, now: number): string {
  const ms = parseTime(typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value, now);
  if (ms === undefined || ms < 0 || ms > LAST_MS) {
    throw fail('bad_query', {
      detail: `"${name}" is not a time. Use ISO 8601 (2026-11-20T10:00:00Z), "-30d", "now" or epoch milliseconds.`,
    });
  }
  return new Date(ms).toISOString().slice(0, 10);
}
