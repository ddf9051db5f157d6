import {
  formatVersion,
  type Prompt,
  type PromptSummary,
  type PromptVersionSummary,
  type PromptVersionView,
  variablesOf,
} from '@candela/contract';
import type {
  PublishedSummary,
  StoredPrompt,
  StoredPromptSummary,
  StoredPromptVersion,
} from '@candela/metadata-store';
import { chatOf } from './chat.ts';

const iso = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

export const showVersion = (version: StoredPromptVersion): PromptVersionView => ({
  id: version.id,
  version: version.number === null ? null : formatVersion(version.number),
  status: version.number === null ? 'DRAFT' : 'PUBLISHED',
  prompt: version.prompt,
  ...chatOf(version),
  tags: [...version.tags],
  metaProperties: { ...version.meta },
  variables: variablesOf(version.prompt),
  createdBy: version.createdBy,
  createdAt: iso(version.createdAt),
  updatedAt: iso(version.updatedAt),
  publishedAt: isoOrNull(version.publishedAt),
});

export const showPublished = (version: PublishedSummary): PromptVersionSummary => ({
  id: version.id,
  version: formatVersion(version.number),
  status: 'PUBLISHED',
  tags: [...version.tags],
  labels: [...version.labels],
  downloads: version.downloads,
  createdBy: version.createdBy,
  createdAt: iso(version.createdAt),
  updatedAt: iso(version.updatedAt),
  publishedAt: isoOrNull(version.publishedAt),
});

export const showSummary = (prompt: StoredPromptSummary): PromptSummary => ({
  id: prompt.id,
  name: prompt.name,
  tags: [...prompt.tags],
  latestVersion: prompt.latest === null ? null : formatVersion(prompt.latest.number),
  latestPublishedAt: isoOrNull(prompt.latest?.publishedAt ?? null),
  hasDraft: prompt.draftId !== null,
  versions: prompt.versions,
  downloads: prompt.downloads,
  lastDays: [...prompt.lastDays],
  labels: prompt.labels.map(({ label, number }) => ({ label, version: formatVersion(number) })),
  createdBy: prompt.createdBy,
  createdAt: iso(prompt.createdAt),
  updatedAt: iso(prompt.updatedAt),
});

export const showPrompt = (prompt: StoredPrompt): Prompt => ({
  ...showSummary(prompt),
  revision: prompt.revision,
  draft: prompt.draft === null ? null : showVersion(prompt.draft),
  latest: prompt.latestVersion === null ? null : showVersion(prompt.latestVersion),
  labels: prompt.labels.map(({ label, number, updatedBy, updatedAt }) => ({
    label,
    version: formatVersion(number),
    updatedBy,
    updatedAt: iso(updatedAt),
  })),
});
