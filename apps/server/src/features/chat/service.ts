import { type BodyOf, CHAT_LIMITS, type ROUTES } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import type { ChatOwner, MetadataStore, StoredChat, StoredChatMessage } from '@candela/metadata-store';
import { scrub } from '@candela/redaction';
import type { Handlers } from '../../http/handlers.ts';
import type { ServerEvent } from '../../http/stream-answer.ts';
import { createCalls } from '../../tools/calls.ts';
import { TOOLS } from '../../tools/index.ts';
import type { FeatureParts } from '../feature.ts';
import type { AuthenticateInput } from '../identity/service.ts';
import { type AnswerParts, makeAnswer, runTool } from './answer.ts';
import { decided, openApproval } from './approvals.ts';
import { partsOf, showMessage, type ToolPart } from './parts.ts';
import { followStored, Run, STALE_MS, STOPPED } from './runs.ts';
import { type Answering, createChatSettings } from './settings.ts';

export type ChatParts = AnswerParts &
  Pick<FeatureParts, 'logger' | 'identity' | 'answers'> & {
    readonly metadata: MetadataStore;
    /** Names this process, also after a restart. */
    readonly instance: string;
    readonly handlers: () => Handlers;
  };

/** How a request came: tools call routes as its person. */
export interface Asker {
  readonly context: RequestContext;
  readonly caller: AuthenticateInput;
  readonly signal: AbortSignal;
}

type SendBody = BodyOf<typeof ROUTES.sendMessage>;
type DecideBody = BodyOf<typeof ROUTES.decideApproval>;

const NEW_TITLE = 'New conversation';
const TITLE_CHARS = 60;
const VANISHED = 'The process that made this answer ended. What had arrived is kept; ask again for the rest.';

/** Who owns conversations: the person or key that asks. */
const ownerOf = ({ projectId, principal }: RequestContext): ChatOwner => ({
  projectId,
  owner: 'id' in principal ? `${principal.kind} ${principal.id}` : principal.kind,
});

/** Conversations with the assistant. The server keeps them: a request brings a text, never history. */
export function createChat(parts: ChatParts) {
  const { metadata, clock, logger, identity, instance } = parts;
  const { chats } = metadata;
  const settings = createChatSettings(metadata);
  const runs = new Map<string, { readonly run: Run; readonly done: Promise<void> }>();

  // What an earlier process of this instance was at is over, before anything new begins here.
  const ready = chats.settleOf(instance, { err: VANISHED }).catch((thrown: unknown) => {
    logger.warn({ err: thrown }, 'answers that were cut off by a restart are shown as running for a while');
  });

  /** Answers whose process is gone become failed. */
  const settle = (repository: MetadataStore['chats'], chatId: string) =>
    repository.settle(chatId, clock.now() - STALE_MS, { err: VANISHED });
  const empty = { role: 'assistant', status: 'running', parts: [], facts: { by: instance } } as const;

  /** Calls of routes as the person, also after their request ended. */
  function callsOf({ context, caller }: Asker, signal: AbortSignal) {
    const client = context.client;
    const telemetry = async () => ({
      ...(await identity.authenticate({ ...caller, storage: undefined })),
      ...(client === undefined ? {} : { client }),
    });
    let own: Promise<RequestContext> | undefined;
    return async (...call: Parameters<ReturnType<typeof createCalls>>) => {
      own ??= telemetry();
      const made = createCalls(
        { handlers: parts.handlers(), answers: parts.answers },
        {
          context: await own,
          platform: () => Promise.resolve(context),
          caller,
          signal,
        },
      );
      return made(...call);
    };
  }

  function begin(
    asker: Asker,
    answering: Answering,
    thread: readonly StoredChatMessage[],
    message: StoredChatMessage,
  ): Run {
    const run = new Run(message, chats, logger);
    const asked = {
      context: asker.context,
      owner: ownerOf(asker.context),
      settings: answering,
      thread,
      call: callsOf(asker, run.signal),
    };
    const done = makeAnswer(run, asked, parts).finally(() => runs.delete(run.id));
    runs.set(run.id, { run, done });
    return run;
  }

  /** @throws conflict while an answer of the conversation is under way */
  function requireIdle(thread: readonly StoredChatMessage[]): void {
    if (!thread.some(({ status }) => status === 'running')) return;
    throw fail('conflict', {
      detail: 'An answer of this conversation is under way. Stop it, or wait until it is done.',
    });
  }

  async function* eventsOf(
    run: Run,
    signal: AbortSignal,
    before: readonly ServerEvent[] = [],
  ): AsyncGenerator<ServerEvent, void, undefined> {
    yield* before;
    yield* run.follow(signal);
  }

  return {
    settings,
    callsOf,

    async list(context: RequestContext, limit: number, cursor: string | undefined) {
      const before = cursor === undefined ? undefined : placeOf(cursor);
      const found = await chats.list(ownerOf(context), {
        limit: limit + 1,
        ...(before === undefined ? {} : { before }),
      });
      const shown = found.slice(0, limit);
      const last = found.length > limit ? shown.at(-1) : undefined;
      return {
        data: shown.map(showChat),
        nextCursor: last === undefined ? null : `${last.updatedAt}.${last.id}`,
      };
    },

    create: async (context: RequestContext, title: string | undefined) =>
      showChat(
        await metadata.change(undefined, (repositories) =>
          repositories.chats.create(ownerOf(context), title ?? NEW_TITLE, CHAT_LIMITS.perOwner),
        ),
      ),

    async get(context: RequestContext, id: string) {
      await ready;
      const chat = await chats.get(ownerOf(context), id);
      await settle(chats, id);
      const thread = (await chats.messages(id)).map((message) => {
        // What runs here is ahead of what was written.
        const live = runs.get(message.id)?.run;
        return live === undefined ? showMessage(message) : live.snapshot();
      });
      return { ...showChat(chat), thread };
    },

    rename: async (context: RequestContext, id: string, title: string) =>
      showChat(await chats.rename(ownerOf(context), id, title)),

    async delete(context: RequestContext, id: string) {
      await metadata.change(undefined, (repositories) => repositories.chats.delete(ownerOf(context), id));
      for (const { run } of runs.values()) if (run.chatId === id) run.stop(STOPPED);
      return { id };
    },

    async send(asker: Asker, body: SendBody): Promise<AsyncIterable<ServerEvent>> {
      const { context, signal } = asker;
      const answering = await settings.answering(context);
      const owner = ownerOf(context);
      const text = scrub(body.content, 2);
      const { page } = body;
      await ready;
      const made = await metadata.change(undefined, async (repositories) => {
        const chat = await repositories.chats.get(owner, body.conversationId);
        await settle(repositories.chats, chat.id);
        const before = await repositories.chats.messages(chat.id);
        requireIdle(before);
        if (before.length >= CHAT_LIMITS.messages) {
          throw fail('refused', {
            detail: `A conversation has at most ${CHAT_LIMITS.messages} messages. Begin a new one.`,
          });
        }
        let kept = before;
        if (body.replaces !== undefined) {
          const old = before.find(({ id, role }) => id === body.replaces && role === 'user');
          if (old === undefined) throw fail('not_found', { what: 'The question to replace' });
          await repositories.chats.cutFrom(chat.id, old.seq);
          kept = before.filter(({ seq }) => seq < old.seq);
        }
        const question = await repositories.chats.append(chat.id, {
          role: 'user',
          status: 'done',
          parts: [{ kind: 'text', text }],
          facts: page === undefined ? {} : { page },
        });
        const thread = [...kept, question];
        const message = await repositories.chats.append(chat.id, empty);
        if (chat.title === NEW_TITLE) {
          const [line = ''] = text.trim().split('\n', 1);
          const title = line
            .replaceAll(/\p{Cc}/gu, ' ')
            .slice(0, TITLE_CHARS)
            .toWellFormed()
            .trim();
          await repositories.chats.rename(owner, chat.id, title === '' ? NEW_TITLE : title);
        }
        return { question, thread, message };
      });
      const run = begin(asker, answering, made.thread, made.message);
      return eventsOf(run, signal, [{ event: 'question', data: showMessage(made.question) }]);
    },

    async follow(
      context: RequestContext,
      id: string,
      signal: AbortSignal,
    ): Promise<AsyncIterable<ServerEvent>> {
      const owner = ownerOf(context);
      await ready;
      const message = await chats.message(owner, id);
      const live = runs.get(id)?.run;
      if (live !== undefined) return live.follow(signal);
      return followStored(async () => {
        await settle(chats, message.chatId);
        return chats.message(owner, id);
      }, signal);
    },

    async stop(context: RequestContext, id: string) {
      const message = await chats.message(ownerOf(context), id);
      const live = runs.get(id);
      if (live !== undefined) {
        live.run.stop(STOPPED);
        return { id, stopped: true };
      }
      // Another process makes it: it finds out at its next write.
      const { parts: there, facts } = message;
      return { id, stopped: await chats.write(id, { status: 'stopped', parts: there, facts }) };
    },

    async decide(asker: Asker, id: string, { decision, value }: DecideBody) {
      const { context, signal } = asker;
      const owner = ownerOf(context);
      const card = await openApproval(parts, owner, id);
      const tool = TOOLS.find((each) => each.id === card.tool);
      if (tool === undefined) throw fail('not_found', { what: 'The card' });
      const input = tool.input.parse(JSON.parse(card.input));
      const approved = decision === 'approve';
      if (approved && tool.card?.(input).wantsValue === true && value === undefined) {
        throw fail('refused', { detail: 'Type the value of the secret into the card.' });
      }
      const answering = await settings.answering(context);
      await ready;
      await settle(chats, card.chatId);
      requireIdle(await chats.messages(card.chatId));
      const isFirst = await chats.decide(card.id, approved ? 'approved' : 'denied');
      if (!isFirst) throw decided();
      const message = await chats.message(owner, card.messageId);
      const isMine = (part: unknown): part is ToolPart =>
        (part as ToolPart).kind === 'tool' && (part as ToolPart).callId === card.callId;
      const kept = partsOf(message);
      const part = kept.find(isMine);
      if (part === undefined) throw fail('not_found', { what: 'The card' });
      const nonce = crypto.randomUUID().slice(0, 8);
      const done: ToolPart = approved
        ? await runTool(tool, input, part, {
            call: callsOf(asker, signal),
            nonce,
            ...(value === undefined ? {} : { typed: value }),
          })
        : {
            ...part,
            state: 'denied',
            detail: 'You denied it.',
            output: 'The person denied this. Accept it.',
          };
      const changed = kept.map((each) => (isMine(each) ? done : each));
      await chats.setParts(message.id, changed);
      const shown = showMessage({ ...message, parts: changed });
      const before: ServerEvent[] = [{ event: 'message', data: shown }];
      // The answer goes on when nothing of it waits any more.
      if (changed.some((each) => each.kind === 'tool' && each.state === 'waiting')) {
        return only([...before, { event: 'done', data: shown }]);
      }
      const next = await metadata.change(undefined, async (repositories) => {
        const thread = await repositories.chats.messages(card.chatId);
        requireIdle(thread);
        return { thread, message: await repositories.chats.append(card.chatId, empty) };
      });
      return eventsOf(begin(asker, answering, next.thread, next.message), signal, before);
    },

    /** Ends what runs; each answer keeps what there is of it. */
    async close(): Promise<void> {
      const open = [...runs.values()];
      for (const { run } of open) run.stop(new Error('shutting down'));
      await Promise.all(open.map(({ done }) => done));
    },
  };
}

export type Chat = ReturnType<typeof createChat>;

const showChat = (chat: StoredChat) => ({
  id: chat.id,
  title: chat.title,
  messages: chat.messages,
  createdAt: new Date(chat.createdAt).toISOString(),
  updatedAt: new Date(chat.updatedAt).toISOString(),
});

/** @throws bad_query */
function placeOf(cursor: string): { updatedAt: number; id: string } {
  const [, time = '', id = ''] = /^(\d{1,16})\.(.{1,64})$/.exec(cursor) ?? [];
  if (id === '') throw fail('bad_query', { detail: 'The cursor is not one of a page before.' });
  return { updatedAt: Number(time), id };
}

async function* only(events: readonly ServerEvent[]): AsyncGenerator<ServerEvent, void, undefined> {
  yield* events;
}
