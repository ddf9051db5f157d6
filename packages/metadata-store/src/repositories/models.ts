import { fail } from '@candela/kernel';
import type { Selectable } from 'kysely';
import type { ModelConfigTable } from '../tables/models.ts';
import type { Access } from './access.ts';
import type { StorageScope } from './storage-scope.ts';
import { unlessTaken } from './unless-taken.ts';

/** What is asked of a model. */
interface ModelSettings {
  readonly temperature: number | null;
  readonly maxOutputTokens: number;
}

/** A language model as it is kept. `secretId` refers to the vault. Times are epoch milliseconds. */
export interface StoredModel {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string | null;
  readonly allowInsecure: boolean;
  readonly secretId: string | null;
  readonly settings: ModelSettings;
  readonly version: number;
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly updatedBy: string | null;
  readonly updatedAt: number;
}

export type NewModel = Pick<
  StoredModel,
  'name' | 'provider' | 'model' | 'baseUrl' | 'allowInsecure' | 'secretId' | 'settings'
> & { readonly by: string | null };

/** Models of one place at a time; another's id is unknown here. */
export interface Models {
  /** By name. */
  list(place: StorageScope): Promise<StoredModel[]>;
  /** @throws not_found */
  get(place: StorageScope, id: string): Promise<StoredModel>;
  /** @throws conflict when the name is taken, refused when the place has its fill */
  create(place: StorageScope, model: NewModel): Promise<StoredModel>;
  /** @throws not_found, conflict when the name is taken or the version is another one by now */
  update(place: StorageScope, id: string, version: number, model: NewModel): Promise<StoredModel>;
  /** @throws not_found */
  delete(place: StorageScope, id: string): Promise<void>;
}

const keyOf = (name: string): string => name.normalize('NFKC').toLowerCase();
const missing = () => fail('not_found', { what: 'The model' });

const toModel = (row: Selectable<ModelConfigTable>): StoredModel => ({
  id: row.id,
  name: row.name,
  provider: row.provider,
  model: row.model,
  baseUrl: row.base_url,
  allowInsecure: row.allow_insecure === 1,
  secretId: row.secret_id,
  settings: JSON.parse(row.settings) as ModelSettings,
  version: row.version,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedBy: row.updated_by,
  updatedAt: row.updated_at,
});

const columnsOf = (model: NewModel) => ({
  name: model.name,
  name_key: keyOf(model.name),
  provider: model.provider,
  model: model.model,
  base_url: model.baseUrl,
  allow_insecure: model.allowInsecure ? 1 : 0,
  secret_id: model.secretId,
  settings: JSON.stringify(model.settings),
});

export function models({ database, clock, dialect, limits }: Access): Models {
  const unlessNameTaken = <T>(name: string, work: () => Promise<T>): Promise<T> =>
    unlessTaken(
      { dialect },
      () => fail('conflict', { detail: `There is a model called "${name}" already. Choose another name.` }),
      work,
    );

  const rows = ({ projectId, databaseConfigId }: StorageScope) =>
    database
      .selectFrom('model_configs')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('database_config_id', '=', databaseConfigId);

  const get: Models['get'] = async (place, id) => {
    const row = await rows(place).where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw missing();
    return toModel(row);
  };
  const list: Models['list'] = async (place) =>
    (await rows(place).orderBy('name_key').execute()).map(toModel);

  return {
    get,
    list,

    async create(place, model) {
      if ((await list(place)).length >= limits.modelsPerPlace) {
        throw fail('refused', {
          detail: `There are ${limits.modelsPerPlace} models here, which is the most there may be. Delete some first.`,
        });
      }
      const now = clock.now();
      const row = {
        id: crypto.randomUUID(),
        project_id: place.projectId,
        database_config_id: place.databaseConfigId,
        ...columnsOf(model),
        version: 1,
        created_by: model.by,
        created_at: now,
        updated_by: model.by,
        updated_at: now,
      };
      await unlessNameTaken(model.name, () => database.insertInto('model_configs').values(row).execute());
      return toModel(row);
    },

    async update(place, id, version, model) {
      const before = await get(place, id);
      const after = {
        ...columnsOf(model),
        version: version + 1,
        updated_by: model.by,
        updated_at: clock.now(),
      };
      const result = await unlessNameTaken(model.name, () =>
        database
          .updateTable('model_configs')
          .set(after)
          .where('id', '=', before.id)
          .where('version', '=', version)
          .executeTakeFirst(),
      );
      if (result.numUpdatedRows === 0n) {
        throw fail('conflict', {
          detail: 'Somebody changed this model meanwhile. Read it again, then change it.',
        });
      }
      return get(place, id);
    },

    async delete({ projectId, databaseConfigId }, id) {
      const result = await database
        .deleteFrom('model_configs')
        .where('project_id', '=', projectId)
        .where('database_config_id', '=', databaseConfigId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (result.numDeletedRows === 0n) throw missing();
    },
  };
}
