import { fail } from '@candela/kernel';
import type { Selectable } from 'kysely';
import type { ChatApprovalTable, ChatMessageTable, ChatTable } from '../tables/chats.ts';
import type { Access } from './access.ts';

/** Whose conversations: a person or a key within a project. Everybody else's are unknown here. */
export interface ChatOwner {
  readonly projectId: string;
  readonly owner: string;
}

/** Times are epoch milliseconds. */
export interface StoredChat {
  readonly id: string;
  readonly title: string;
  readonly messages: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface StoredChatMessage {
  readonly id: string;
  readonly chatId: string;
  readonly seq: number;
  readonly role: 'user' | 'assistant';
  readonly status: 'running' | 'done' | 'stopped' | 'failed';
  /** JSON values, as their writer made them. */
  readonly parts: readonly unknown[];
  readonly facts: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
  readonly touchedAt: number;
}

export interface StoredApproval {
  readonly id: string;
  readonly chatId: string;
  readonly messageId: string;
  readonly callId: string;
  readonly tool: string;
  /** Canonical JSON. */
  readonly input: string;
  readonly inputHash: string;
  readonly state: 'open' | 'approved' | 'denied';
  readonly expiresAt: number;
}

export interface Chats {
  /** The newest first, before a time and id. */
  list(
    owner: ChatOwner,
    input: { readonly limit: number; readonly before?: { readonly updatedAt: number; readonly id: string } },
  ): Promise<StoredChat[]>;
  /** @throws not_found */
  get(owner: ChatOwner, id: string): Promise<StoredChat>;
  /** Removes the oldest when there are `keep` already. */
  create(owner: ChatOwner, title: string, keep: number): Promise<StoredChat>;
  /** @throws not_found */
  rename(owner: ChatOwner, id: string, title: string): Promise<StoredChat>;
  /** @throws not_found */
  delete(owner: ChatOwner, id: string): Promise<void>;
  /** Conversations in a project of the person with this id or e-mail address. */
  ofPerson(projectId: string, idOrEmail: string): Promise<number>;
  /** Deletes these. */
  deleteOfPerson(projectId: string, idOrEmail: string): Promise<void>;
  messages(chatId: string): Promise<StoredChatMessage[]>;
  /** A message of one of the owner's conversations. @throws not_found */
  message(owner: ChatOwner, id: string): Promise<StoredChatMessage>;
  /** Adds at the end; within `change`. */
  append(
    chatId: string,
    message: Pick<StoredChatMessage, 'role' | 'status' | 'parts' | 'facts'>,
  ): Promise<StoredChatMessage>;
  /** Removes a message and everything after it. */
  cutFrom(chatId: string, seq: number): Promise<void>;
  /** Writes what there is of an answer; only while it runs, so that a late writer changes nothing. */
  write(id: string, message: Pick<StoredChatMessage, 'status' | 'parts' | 'facts'>): Promise<boolean>;
  /** Changes the parts of a message that is no longer written. */
  setParts(id: string, parts: readonly unknown[]): Promise<void>;
  /** Running answers that nobody has touched since a time become `failed`. Returns how many. */
  settle(chatId: string, before: number, facts: StoredChatMessage['facts']): Promise<number>;
  /** Running answers whose facts say `by: instance` become `failed`: of a process that is gone. Returns how many. */
  settleOf(instance: string, facts: StoredChatMessage['facts']): Promise<number>;
  addApproval(owner: ChatOwner, approval: Omit<StoredApproval, 'id' | 'state'>): Promise<StoredApproval>;
  /** @throws not_found, also when it is somebody else's */
  approval(owner: ChatOwner, id: string): Promise<StoredApproval>;
  /** False: it was decided before. Only one of several callers is told true. */
  decide(id: string, state: 'approved' | 'denied'): Promise<boolean>;
}

const toChat = (row: Selectable<ChatTable>): StoredChat => ({
  id: row.id,
  title: row.title,
  messages: row.message_count,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
const toMessage = (row: Selectable<ChatMessageTable>): StoredChatMessage => ({
  id: row.id,
  chatId: row.chat_id,
  seq: row.seq,
  role: row.role as StoredChatMessage['role'],
  status: row.status as StoredChatMessage['status'],
  parts: JSON.parse(row.parts) as unknown[],
  facts: JSON.parse(row.facts) as Record<string, unknown>,
  createdAt: row.created_at,
  touchedAt: row.touched_at,
});
const toApproval = (row: Selectable<ChatApprovalTable>): StoredApproval => ({
  id: row.id,
  chatId: row.chat_id,
  messageId: row.message_id,
  callId: row.call_id,
  tool: row.tool,
  input: row.input,
  inputHash: row.input_hash,
  state: row.state as StoredApproval['state'],
  expiresAt: row.expires_at,
});
const missing = (what: string) => fail('not_found', { what });

/** Well below what one statement may bind. */
const IDS_AT_ONCE = 500;

export function chats({ quiet: database, clock }: Access): Chats {
  const own = ({ projectId, owner }: ChatOwner) =>
    database.selectFrom('chats').selectAll().where('project_id', '=', projectId).where('owner', '=', owner);

  const get: Chats['get'] = async (owner, id) => {
    const row = await own(owner).where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw missing('The conversation');
    return toChat(row);
  };

  async function remove(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await database.deleteFrom('chat_approvals').where('chat_id', 'in', ids).execute();
    await database.deleteFrom('chat_messages').where('chat_id', 'in', ids).execute();
    await database.deleteFrom('chats').where('id', 'in', ids).execute();
  }

  async function idsOfPerson(projectId: string, idOrEmail: string): Promise<string[]> {
    const people = await database
      .selectFrom('users')
      .select('id')
      .where(({ eb, or }) => or([eb('id', '=', idOrEmail), eb('email', '=', idOrEmail.toLowerCase())]))
      .execute();
    const owners = people.map(({ id }) => `user ${id}`);
    if (owners.length === 0) return [];
    const rows = await database
      .selectFrom('chats')
      .select('id')
      .where('project_id', '=', projectId)
      .where('owner', 'in', owners)
      .execute();
    return rows.map(({ id }) => id);
  }

  const countOf = (chatId: string) =>
    database
      .selectFrom('chat_messages')
      .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max('seq').as('last')])
      .where('chat_id', '=', chatId)
      .executeTakeFirstOrThrow();

  async function recount(chatId: string): Promise<void> {
    const { count } = await countOf(chatId);
    await database
      .updateTable('chats')
      .set({ message_count: Number(count), updated_at: clock.now() })
      .where('id', '=', chatId)
      .execute();
  }

  return {
    get,

    async list(owner, { limit, before }) {
      let query = own(owner).orderBy('updated_at', 'desc').orderBy('id', 'desc').limit(limit);
      if (before !== undefined) {
        query = query.where(({ eb, or, and }) =>
          or([
            eb('updated_at', '<', before.updatedAt),
            and([eb('updated_at', '=', before.updatedAt), eb('id', '<', before.id)]),
          ]),
        );
      }
      return (await query.execute()).map(toChat);
    },

    async create(owner, title, keep) {
      const old = await own(owner)
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .offset(keep - 1)
        .limit(100)
        .execute();
      await remove(old.map(({ id }) => id));
      const now = clock.now();
      const row = {
        id: crypto.randomUUID(),
        project_id: owner.projectId,
        owner: owner.owner,
        title,
        message_count: 0,
        created_at: now,
        updated_at: now,
      };
      await database.insertInto('chats').values(row).execute();
      return toChat(row);
    },

    async rename(owner, id, title) {
      const before = await get(owner, id);
      await database.updateTable('chats').set({ title }).where('id', '=', id).execute();
      return { ...before, title };
    },

    async delete(owner, id) {
      await get(owner, id);
      await remove([id]);
    },

    async ofPerson(projectId, idOrEmail) {
      return (await idsOfPerson(projectId, idOrEmail)).length;
    },

    async deleteOfPerson(projectId, idOrEmail) {
      const ids = await idsOfPerson(projectId, idOrEmail);
      for (let from = 0; from < ids.length; from += IDS_AT_ONCE)
        await remove(ids.slice(from, from + IDS_AT_ONCE));
    },

    async messages(chatId) {
      const rows = await database
        .selectFrom('chat_messages')
        .selectAll()
        .where('chat_id', '=', chatId)
        .orderBy('seq')
        .execute();
      return rows.map(toMessage);
    },

    async message(owner, id) {
      const row = await database
        .selectFrom('chat_messages')
        .innerJoin('chats', 'chats.id', 'chat_messages.chat_id')
        .selectAll('chat_messages')
        .where('chat_messages.id', '=', id)
        .where('chats.project_id', '=', owner.projectId)
        .where('chats.owner', '=', owner.owner)
        .executeTakeFirst();
      if (row === undefined) throw missing('The message');
      return toMessage(row);
    },

    async append(chatId, { role, status, parts, facts }) {
      const { last } = await countOf(chatId);
      const now = clock.now();
      const row = {
        id: crypto.randomUUID(),
        chat_id: chatId,
        seq: Number(last ?? 0) + 1,
        role,
        status,
        parts: JSON.stringify(parts),
        facts: JSON.stringify(facts),
        created_at: now,
        touched_at: now,
      };
      await database.insertInto('chat_messages').values(row).execute();
      await recount(chatId);
      return toMessage(row);
    },

    async cutFrom(chatId, seq) {
      const gone = database
        .selectFrom('chat_messages')
        .select('id')
        .where('chat_id', '=', chatId)
        .where('seq', '>=', seq);
      await database.deleteFrom('chat_approvals').where('message_id', 'in', gone).execute();
      await database
        .deleteFrom('chat_messages')
        .where('chat_id', '=', chatId)
        .where('seq', '>=', seq)
        .execute();
      await recount(chatId);
    },

    async write(id, { status, parts, facts }) {
      const result = await database
        .updateTable('chat_messages')
        .set({
          status,
          parts: JSON.stringify(parts),
          facts: JSON.stringify(facts),
          touched_at: clock.now(),
        })
        .where('id', '=', id)
        .where('status', '=', 'running')
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    async setParts(id, parts) {
      await database
        .updateTable('chat_messages')
        .set({ parts: JSON.stringify(parts) })
        .where('id', '=', id)
        .execute();
    },

    async settle(chatId, before, facts) {
      const result = await database
        .updateTable('chat_messages')
        .set({ status: 'failed', facts: JSON.stringify(facts) })
        .where('chat_id', '=', chatId)
        .where('status', '=', 'running')
        .where('touched_at', '<', before)
        .executeTakeFirst();
      return Number(result.numUpdatedRows);
    },

    async settleOf(instance, facts) {
      const running = await database
        .selectFrom('chat_messages')
        .select(['id', 'facts'])
        .where('status', '=', 'running')
        .execute();
      const left = running.filter((row) => (JSON.parse(row.facts) as { by?: unknown }).by === instance);
      if (left.length === 0) return 0;
      const result = await database
        .updateTable('chat_messages')
        .set({ status: 'failed', facts: JSON.stringify(facts) })
        .where(
          'id',
          'in',
          left.map(({ id }) => id),
        )
        .where('status', '=', 'running')
        .executeTakeFirst();
      return Number(result.numUpdatedRows);
    },

    async addApproval({ owner }, approval) {
      const id = crypto.randomUUID();
      await database
        .insertInto('chat_approvals')
        .values({
          id,
          chat_id: approval.chatId,
          message_id: approval.messageId,
          call_id: approval.callId,
          owner,
          tool: approval.tool,
          input: approval.input,
          input_hash: approval.inputHash,
          state: 'open',
          expires_at: approval.expiresAt,
          decided_at: null,
        })
        .execute();
      return { ...approval, id, state: 'open' };
    },

    async approval({ projectId, owner }, id) {
      const row = await database
        .selectFrom('chat_approvals')
        .innerJoin('chats', 'chats.id', 'chat_approvals.chat_id')
        .selectAll('chat_approvals')
        .where('chat_approvals.id', '=', id)
        .where('chat_approvals.owner', '=', owner)
        .where('chats.owner', '=', owner)
        .where('chats.project_id', '=', projectId)
        .executeTakeFirst();
      if (row === undefined) throw missing('The card');
      return toApproval(row);
    },

    async decide(id, state) {
      const result = await database
        .updateTable('chat_approvals')
        .set({ state, decided_at: clock.now() })
        .where('id', '=', id)
        .where('state', '=', 'open')
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
  };
}
