/** Who answers questions in a project and database configuration, and what that may cost. */
export interface ChatSettingsTable {
  project_id: string;
  database_config_id: string;
  model_id: string;
  /** JSON: dailyCapUsd, messageCapUsd, contextTokens. */
  settings: string;
  updated_by: string;
  updated_at: number;
}

/** Conversations of one person or key with the assistant. */
export interface ChatTable {
  id: string;
  project_id: string;
  /** `user u1`, `key k1`, `anonymous`. */
  owner: string;
  title: string;
  message_count: number;
  created_at: number;
  updated_at: number;
}

export interface ChatMessageTable {
  id: string;
  chat_id: string;
  /** Order within the conversation; times are no order. */
  seq: number;
  role: string;
  /** `running`, `done`, `stopped` or `failed`. */
  status: string;
  /** JSON: the parts of the message. */
  parts: string;
  /** JSON: err, model, usage, durationMs. */
  facts: string;
  created_at: number;
  /** When its process last said that it works on it. */
  touched_at: number;
}

/** Cards: what a tool wants to do and a person decides. */
export interface ChatApprovalTable {
  id: string;
  chat_id: string;
  message_id: string;
  call_id: string;
  owner: string;
  tool: string;
  /** JSON in its canonical form, and its SHA-256. */
  input: string;
  input_hash: string;
  /** `open`, `approved` or `denied`. */
  state: string;
  expires_at: number;
  decided_at: number | null;
}

/** AI analyses of traces and spans. */
export interface ChatAnalysisTable {
  id: string;
  project_id: string;
  root_span_id: string;
  selected_span_id: string;
  scope: string;
  run_number: number;
  /** JSON: the whole answer. */
  body: string;
  created_by: string;
  created_at: number;
}
