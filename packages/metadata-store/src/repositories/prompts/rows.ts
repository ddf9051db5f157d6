import { fail } from '@candela/kernel';
import type { Selectable } from 'kysely';
import type { PromptVersionTable } from '../../tables/prompts.ts';
import type { StoredPromptVersion, VersionNumber } from './types.ts';

export const missing = () => fail('not_found', { what: 'The prompt' });

type Numbers = Pick<Selectable<PromptVersionTable>, 'major' | 'minor' | 'patch'>;

/** The number of a version; null: it is a draft. */
export const numberOf = ({ major, minor, patch }: Numbers): VersionNumber | null =>
  major === null || minor === null || patch === null ? null : { major, minor, patch };

/** The same of one that is known to be published. */
export const published = (row: Numbers): VersionNumber => numberOf(row) ?? { major: 0, minor: 0, patch: 0 };

export const listOf = (json: string): string[] => JSON.parse(json) as string[];

export const toVersion = (row: Selectable<PromptVersionTable>): StoredPromptVersion => ({
  id: row.id,
  promptId: row.prompt_id,
  number: numberOf(row),
  prompt: row.prompt,
  tags: listOf(row.tags),
  meta: JSON.parse(row.meta) as Record<string, unknown>,
  chat: row.chat,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  publishedAt: row.published_at,
});
