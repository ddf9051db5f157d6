import { DEFAULT_ENVIRONMENT, DEFAULT_PROJECT_ID, fail } from '@candela/kernel';
import type { Access } from '../access.ts';
import { unlessTaken } from '../unless-taken.ts';

export interface StoredOrganisation {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
}

export interface StoredProject {
  readonly id: string;
  readonly organisationId: string;
  readonly name: string;
  readonly createdAt: number;
}

export interface StoredProjectMember {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly addedAt: number;
}

export type EnvironmentOrigin = 'settings' | 'telemetry';

export interface StoredEnvironment {
  readonly projectId: string;
  readonly name: string;
  readonly origin: EnvironmentOrigin;
  readonly createdAt: number;
}

/** Organisations, their projects with the people in them, and the environments of projects. */
export interface Projects {
  /** @throws not_found */
  organisation(id: string): Promise<StoredOrganisation>;
  renameOrganisation(id: string, name: string): Promise<void>;
  /** Of every organisation, in the order of {@link Projects.list}. */
  all(): Promise<StoredProject[]>;
  /** The default one first, then by name, numbers in names by size. */
  list(organisationId: string): Promise<StoredProject[]>;
  /** @throws not_found */
  get(organisationId: string, id: string): Promise<StoredProject>;
  /** With its first environment. @throws conflict */
  create(organisationId: string, name: string): Promise<StoredProject>;
  /** @throws not_found, conflict */
  rename(organisationId: string, id: string, name: string): Promise<void>;
  /** With all that is its own: keys, applications, people, environments, views, bindings, retention. @throws not_found */
  remove(organisationId: string, id: string): Promise<void>;
  /** Ids of the projects a person was added to. */
  joinedBy(userId: string): Promise<string[]>;
  /** How many people were added, by project. */
  memberCounts(): Promise<Map<string, number>>;
  members(projectId: string, limit: number): Promise<StoredProjectMember[]>;
  /** Once is enough. */
  addMember(projectId: string, userId: string): Promise<void>;
  /** @throws not_found */
  removeMember(projectId: string, userId: string): Promise<void>;
  /** Of all projects, or one; the default one first, then by name. */
  environments(projectId?: string): Promise<StoredEnvironment[]>;
  /** Names that are there already stay as they are. */
  addEnvironments(projectId: string, names: readonly string[], origin: EnvironmentOrigin): Promise<void>;
  /** @throws not_found */
  removeEnvironment(projectId: string, name: string): Promise<void>;
}

const keyOf = (name: string): string => name.normalize('NFKC').toLowerCase();
/** Not left to the database: each sorts capitals and accents in its own way. */
const NAMES = new Intl.Collator('en', { numeric: true });
const missing = () => fail('not_found', { what: 'The project' });

/** The one with that value first, the rest as it stands. */
function firstOf<T>(rows: readonly T[], is: (row: T) => boolean): T[] {
  return [...rows.filter(is), ...rows.filter((row) => !is(row))];
}

export function projects({ database, clock, dialect }: Access): Projects {
  const columns = ['id', 'organisation_id', 'name', 'created_at'] as const;
  const toProject = (row: {
    id: string;
    organisation_id: string;
    name: string;
    created_at: number;
  }): StoredProject => ({
    id: row.id,
    organisationId: row.organisation_id,
    name: row.name,
    createdAt: Number(row.created_at),
  });

  const unlessNameTaken = <T>(name: string, work: () => Promise<T>): Promise<T> =>
    unlessTaken(
      { dialect },
      (thrown) =>
        fail('conflict', { detail: `There is a project called "${name}" already.` }, { cause: thrown }),
      work,
    );

  async function listed(organisationId: string | undefined): Promise<StoredProject[]> {
    let query = database.selectFrom('projects').select(columns).orderBy('id');
    if (organisationId !== undefined) query = query.where('organisation_id', '=', organisationId);
    const rows = await query.execute();
    const byName = rows.map(toProject).sort((a, b) => NAMES.compare(a.name, b.name));
    return firstOf(byName, ({ id }) => id === DEFAULT_PROJECT_ID);
  }

  async function addEnvironments(
    projectId: string,
    names: readonly string[],
    origin: EnvironmentOrigin,
  ): Promise<void> {
    if (names.length === 0) return;
    const now = clock.now();
    await database
      .insertInto('environments')
      .values(names.map((name) => ({ project_id: projectId, name, origin, created_at: now })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  return {
    addEnvironments,

    async organisation(id) {
      const row = await database
        .selectFrom('organisations')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      if (row === undefined) throw fail('not_found', { what: 'The organisation' });
      return { id: row.id, name: row.name, createdAt: Number(row.created_at) };
    },

    async renameOrganisation(id, name) {
      await database.updateTable('organisations').set({ name }).where('id', '=', id).execute();
    },

    all: () => listed(undefined),
    list: listed,

    async get(organisationId, id) {
      const row = await database
        .selectFrom('projects')
        .select(columns)
        .where('organisation_id', '=', organisationId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (row === undefined) throw missing();
      return toProject(row);
    },

    async create(organisationId, name) {
      const row = {
        id: crypto.randomUUID(),
        organisation_id: organisationId,
        name,
        name_key: keyOf(name),
        created_at: clock.now(),
      };
      await unlessNameTaken(name, () => database.insertInto('projects').values(row).execute());
      await addEnvironments(row.id, [DEFAULT_ENVIRONMENT], 'settings');
      return toProject(row);
    },

    async rename(organisationId, id, name) {
      const result = await unlessNameTaken(name, () =>
        database
          .updateTable('projects')
          .set({ name, name_key: keyOf(name) })
          .where('organisation_id', '=', organisationId)
          .where('id', '=', id)
          .executeTakeFirst(),
      );
      if (result.numUpdatedRows === 0n) throw missing();
    },

    async remove(organisationId, id) {
      const result = await database
        .deleteFrom('projects')
        .where('organisation_id', '=', organisationId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (result.numDeletedRows === 0n) throw missing();
      await database.deleteFrom('api_keys').where('project_id', '=', id).execute();
      await database.deleteFrom('project_members').where('project_id', '=', id).execute();
      await database.deleteFrom('environments').where('project_id', '=', id).execute();
      await database.deleteFrom('saved_views').where('project_id', '=', id).execute();
      await database.deleteFrom('signal_bindings').where('project_id', '=', id).execute();
      await database.deleteFrom('project_retention').where('project_id', '=', id).execute();
      await database
        .deleteFrom('vault_versions')
        .where('secret_id', 'in', (eb) =>
          eb.selectFrom('vault_secrets').select('id').where('project_id', '=', id),
        )
        .execute();
      await database.deleteFrom('vault_secrets').where('project_id', '=', id).execute();
      for (const table of ['prompt_labels', 'prompt_tags', 'prompt_downloads', 'prompt_versions'] as const) {
        await database
          .deleteFrom(table)
          .where('prompt_id', 'in', (eb) =>
            eb.selectFrom('prompts').select('id').where('project_id', '=', id),
          )
          .execute();
      }
      await database.deleteFrom('prompts').where('project_id', '=', id).execute();
      await database.deleteFrom('prompt_protected_labels').where('project_id', '=', id).execute();
      await database.deleteFrom('rules').where('project_id', '=', id).execute();
      await database.deleteFrom('rule_links').where('project_id', '=', id).execute();
      for (const table of ['boards', 'board_folders', 'board_pins'] as const)
        await database.deleteFrom(table).where('project_id', '=', id).execute();
      await database.deleteFrom('contexts').where('project_id', '=', id).execute();
      await database.deleteFrom('coding_disputes').where('project_id', '=', id).execute();
      await database.deleteFrom('exception_triage').where('project_id', '=', id).execute();
      for (const table of [
        'controller_instances',
        'controller_tokens',
        'controller_desired',
        'controller_actions',
        'controller_config',
      ] as const)
        await database.deleteFrom(table).where('project_id', '=', id).execute();
      for (const table of ['media_chunks', 'media_uses', 'media'] as const)
        await database.deleteFrom(table).where('project_id', '=', id).execute();
      await database.deleteFrom('custom_prices').where('project_id', '=', id).execute();
      await database.deleteFrom('model_configs').where('project_id', '=', id).execute();
      await database.deleteFrom('context_versions').where('project_id', '=', id).execute();
      await database.deleteFrom('oauth_clients').where('project_id', '=', id).execute();
    },

    async joinedBy(userId) {
      const rows = await database
        .selectFrom('project_members')
        .select('project_id')
        .where('user_id', '=', userId)
        .execute();
      return rows.map((row) => row.project_id);
    },

    async memberCounts() {
      const rows = await database
        .selectFrom('project_members')
        .select(({ fn }) => ['project_id', fn.countAll<number>().as('count')])
        .groupBy('project_id')
        .execute();
      return new Map(rows.map((row) => [row.project_id, Number(row.count)]));
    },

    async members(projectId, limit) {
      const rows = await database
        .selectFrom('project_members')
        .innerJoin('users', 'users.id', 'project_members.user_id')
        .select(['users.id', 'users.email', 'users.name', 'project_members.added_at'])
        .where('project_members.project_id', '=', projectId)
        .orderBy('users.email')
        .limit(limit)
        .execute();
      return rows.map(({ added_at, ...row }) => ({ ...row, addedAt: Number(added_at) }));
    },

    async addMember(projectId, userId) {
      await database
        .insertInto('project_members')
        .values({ project_id: projectId, user_id: userId, added_at: clock.now() })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },

    async removeMember(projectId, userId) {
      const result = await database
        .deleteFrom('project_members')
        .where('project_id', '=', projectId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      if (result.numDeletedRows === 0n) throw fail('not_found', { what: 'The member' });
    },

    async environments(projectId) {
      let query = database.selectFrom('environments').selectAll().orderBy('project_id').orderBy('name');
      if (projectId !== undefined) query = query.where('project_id', '=', projectId);
      const rows = (await query.execute()).map((row) => ({
        projectId: row.project_id,
        name: row.name,
        origin: row.origin === 'telemetry' ? ('telemetry' as const) : ('settings' as const),
        createdAt: Number(row.created_at),
      }));
      return firstOf(rows, ({ name }) => name === DEFAULT_ENVIRONMENT);
    },

    async removeEnvironment(projectId, name) {
      const result = await database
        .deleteFrom('environments')
        .where('project_id', '=', projectId)
        .where('name', '=', name)
        .executeTakeFirst();
      if (result.numDeletedRows === 0n) throw fail('not_found', { what: 'The environment' });
    },
  };
}
