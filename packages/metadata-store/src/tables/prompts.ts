/** Prompts of a project in one database configuration. */
export interface PromptTable {
  id: string;
  project_id: string;
  database_config_id: string;
  name: string;
  /** Goes up with every change of the draft. */
  revision: number;
  /** Its draft and its newest published version, where there are any. */
  draft_id: string | null;
  latest_id: string | null;
  /** Published versions. */
  versions: number;
  created_by: string | null;
  created_at: number;
  updated_at: number;
}

/** The draft of a prompt and what was published of it, which never changes again. */
export interface PromptVersionTable {
  id: string;
  prompt_id: string;
  /** The prompt once more while this is its draft, so that it has one at most; else null, and the numbers are there. */
  draft_of: string | null;
  major: number | null;
  minor: number | null;
  patch: number | null;
  prompt: string;
  /** JSON: a list of texts. */
  tags: string;
  /** JSON: an object. */
  meta: string;
  /** JSON: messages, model settings, tools, response format; null: none of them. */
  chat: string | null;
  created_by: string | null;
  created_at: number;
  updated_at: number;
  published_at: number | null;
}

/** Tags that a prompt is found by: those of its newest version, else of its draft. */
export interface PromptTagTable {
  prompt_id: string;
  tag: string;
}

export interface PromptLabelTable {
  prompt_id: string;
  label: string;
  version_id: string;
  updated_by: string | null;
  updated_at: number;
}

/** A label that only admins and owners move, in every prompt of the place. */
export interface PromptProtectedLabelTable {
  project_id: string;
  database_config_id: string;
  label: string;
}

/** Fetches of a version on a day (`2026-11-20`, in UTC). */
export interface PromptDownloadTable {
  prompt_id: string;
  version_id: string;
  source: string;
  day: string;
  count: number;
}

/** The last batch of counts that each process has written: none is counted twice. */
export interface PromptDownloadWriterTable {
  writer: string;
  batch: number;
  updated_at: number;
}
