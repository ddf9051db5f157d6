import type { StorageScope } from '../storage-scope.ts';

export interface VersionNumber {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** What of a prompt is versioned. */
export interface PromptContent {
  readonly prompt: string;
  readonly tags: readonly string[];
  readonly meta: Readonly<Record<string, unknown>>;
  /** Messages, model settings, tools and response format as JSON; null: the text is all there is. */
  readonly chat?: string | null | undefined;
}

/** A version as it is kept; without a number it is the draft. Times are epoch milliseconds. */
export interface StoredPromptVersion extends PromptContent {
  readonly chat: string | null;
  readonly id: string;
  readonly promptId: string;
  readonly number: VersionNumber | null;
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly publishedAt: number | null;
}

/** A published version in a list: without text and meta. */
export interface PublishedSummary extends Omit<StoredPromptVersion, 'prompt' | 'meta' | 'chat' | 'number'> {
  readonly number: VersionNumber;
  readonly labels: readonly string[];
  readonly downloads: number;
}

export interface StoredPromptSummary {
  readonly id: string;
  readonly name: string;
  readonly revision: number;
  readonly draftId: string | null;
  readonly latest: {
    readonly id: string;
    readonly number: VersionNumber;
    readonly publishedAt: number;
  } | null;
  readonly tags: readonly string[];
  readonly versions: number;
  readonly downloads: number;
  /** Downloads by day in UTC, the oldest first and today last. */
  readonly lastDays: readonly number[];
  /** By label. */
  readonly labels: readonly StoredPromptLabel[];
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface StoredPromptLabel {
  readonly label: string;
  readonly versionId: string;
  readonly number: VersionNumber;
  readonly updatedBy: string | null;
  readonly updatedAt: number;
}

export interface StoredPrompt extends StoredPromptSummary {
  readonly draft: StoredPromptVersion | null;
  readonly latestVersion: StoredPromptVersion | null;
}

/** What is needed to find a version of a prompt: all numbers, newest first, and where labels point. */
export interface PromptIndex {
  readonly id: string;
  readonly name: string;
  readonly draftId: string | null;
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly versions: readonly (VersionNumber & { readonly id: string })[];
  readonly labels: ReadonlyMap<string, string>;
}

/** Fetches of a version on a day such as `2026-11-20`. */
export interface PromptDownloads {
  readonly promptId: string;
  readonly versionId: string;
  readonly source: string;
  readonly day: string;
  readonly count: number;
}

/** Prompts of one place at a time; another place's id is unknown here. All changes belong into `change`. */
export interface Prompts {
  /** By name, at most `limit`, after a name. */
  list(
    place: StorageScope,
    input: {
      readonly search: string | undefined;
      readonly tag: string | undefined;
      readonly limit: number;
      readonly after: string | undefined;
    },
  ): Promise<{ prompts: StoredPromptSummary[]; next: string | undefined }>;
  /** @throws not_found */
  get(place: StorageScope, id: string): Promise<StoredPrompt>;
  /** Those of the ids that there are; a version of which was published, or none yet. */
  heads(
    place: StorageScope,
    ids: readonly string[],
  ): Promise<{ readonly id: string; readonly name: string; readonly published: boolean }[]>;
  /** Ids of those of which nothing is published yet. */
  unpublished(place: StorageScope): Promise<Set<string>>;
  /** By id, by name, or by both, which then must belong together. */
  index(
    place: StorageScope,
    by: { readonly id?: string | undefined; readonly name?: string | undefined },
  ): Promise<PromptIndex | undefined>;
  /** Whosever it is: for whoever has its id from an index. */
  version(id: string): Promise<StoredPromptVersion | undefined>;
  /** Published ones, newest first, at most `limit`, after a number. @throws not_found */
  versions(
    place: StorageScope,
    id: string,
    input: { readonly limit: number; readonly after: VersionNumber | undefined },
  ): Promise<{ versions: PublishedSummary[]; next: VersionNumber | undefined }>;
  /** With a number it is published at once. @throws conflict when the name is taken, refused when the place has its fill */
  create(
    place: StorageScope,
    prompt: { readonly name: string; readonly content: PromptContent; readonly by: string | null },
    publishAs: VersionNumber | undefined,
  ): Promise<StoredPrompt>;
  /** Makes or replaces the draft. @throws not_found, conflict when the revision is another one by now */
  saveDraft(
    place: StorageScope,
    id: string,
    input: {
      readonly content: PromptContent;
      readonly revision: number | undefined;
      readonly by: string | null;
    },
  ): Promise<StoredPrompt>;
  /** @throws not_found, refused when nothing would be left */
  discardDraft(place: StorageScope, id: string): Promise<StoredPrompt>;
  /** @throws not_found, conflict when there is no draft or the revision is another one by now, refused */
  publish(
    place: StorageScope,
    id: string,
    input: {
      readonly next: (newest: VersionNumber | undefined) => VersionNumber;
      readonly revision: number | undefined;
      readonly by: string | null;
    },
  ): Promise<StoredPrompt>;
  /** @throws not_found, refused when the prompt has its fill of labels */
  setLabel(
    place: StorageScope,
    id: string,
    input: { readonly label: string; readonly versionId: string; readonly by: string | null },
  ): Promise<StoredPrompt>;
  /** @throws not_found */
  removeLabel(place: StorageScope, id: string, label: string): Promise<StoredPrompt>;
  /** Labels that only admins and owners move here, by name. */
  protectedLabels(place: StorageScope): Promise<string[]>;
  setProtectedLabels(place: StorageScope, labels: readonly string[]): Promise<void>;
  /** With all that belongs to it. @throws not_found */
  delete(place: StorageScope, id: string): Promise<void>;
  /** Days from and to included, latest first. @throws not_found */
  usage(
    place: StorageScope,
    id: string,
    input: { readonly from: string; readonly to: string; readonly limit: number },
  ): Promise<{
    rows: { day: string; number: VersionNumber; source: string; count: number }[];
    total: number;
    truncated: boolean;
  }>;
  /** Adds counts; a batch of a writer counts once, and so does one before it. Prompts that are gone are left out. */
  countDownloads(
    batch: { readonly writer: string; readonly number: number },
    downloads: readonly PromptDownloads[],
  ): Promise<void>;
  /** Forgets days before this one. */
  pruneDownloads(before: string): Promise<void>;
}
