import type { Scope } from '@candela/kernel';

/** What a scope lets a key or an application do. */
export const SCOPE_WORDS: Record<Scope, string> = {
  ingest: 'Send telemetry over OTLP.',
  telemetry: 'Search and read telemetry.',
  prompts: 'Read and change prompts.',
  vault: 'Read and change secrets.',
  feedback: 'Send feedback of users from a web page, and nothing else: such a key may be seen by everybody.',
  rule_engine: 'Evaluate rules and read contexts.',
  evaluation: 'Run evaluations and read their results.',
  chat: 'Ask the assistant.',
  controller: 'See and steer collectors.',
  db_config: 'See where the project is kept, without secrets.',
};
