import type { Access } from './access.ts';
import type { StorageScope } from './storage-scope.ts';

/** Settings of the assistant of one place. Times are epoch milliseconds. */
export interface StoredChatSettings {
  readonly modelId: string;
  readonly dailyCapUsd: number | null;
  readonly messageCapUsd: number | null;
  readonly contextTokens: number;
  readonly updatedBy: string;
  readonly updatedAt: number;
}

export interface ChatSettings {
  find(place: StorageScope): Promise<StoredChatSettings | undefined>;
  save(place: StorageScope, settings: Omit<StoredChatSettings, 'updatedAt'>): Promise<StoredChatSettings>;
}

export function chatSettings({ database, clock }: Access): ChatSettings {
  return {
    async find({ projectId, databaseConfigId }) {
      const row = await database
        .selectFrom('chat_settings')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('database_config_id', '=', databaseConfigId)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const settings = JSON.parse(row.settings) as Pick<
        StoredChatSettings,
        'dailyCapUsd' | 'messageCapUsd' | 'contextTokens'
      >;
      return { ...settings, modelId: row.model_id, updatedBy: row.updated_by, updatedAt: row.updated_at };
    },

    async save({ projectId, databaseConfigId }, { modelId, updatedBy, ...settings }) {
      const updatedAt = clock.now();
      const columns = {
        model_id: modelId,
        settings: JSON.stringify(settings),
        updated_by: updatedBy,
        updated_at: updatedAt,
      };
      await database
        .insertInto('chat_settings')
        .values({ project_id: projectId, database_config_id: databaseConfigId, ...columns })
        .onConflict((conflict) => conflict.columns(['project_id', 'database_config_id']).doUpdateSet(columns))
        .execute();
      return { ...settings, modelId, updatedBy, updatedAt };
    },
  };
}
