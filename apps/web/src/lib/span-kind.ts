/** What a span is to a reader of an AI trace. */
export type ReadingKind = 'llm' | 'agent' | 'tool' | 'retrieval' | 'embedding' | 'other';

interface Facts {
  readonly operation: string | null;
  readonly model: string | null;
  readonly agent: string | null;
  readonly tool: string | null;
}

const BY_OPERATION: ReadonlyMap<string, ReadingKind> = new Map([
  ['chat', 'llm'],
  ['text_completion', 'llm'],
  ['generate_content', 'llm'],
  ['completion', 'llm'],
  ['responses', 'llm'],
  ['image_generation', 'llm'],
  ['embeddings', 'embedding'],
  ['execute_tool', 'tool'],
  ['invoke_agent', 'agent'],
  ['create_agent', 'agent'],
  ['invoke_workflow', 'agent'],
  ['workflow', 'agent'],
  ['chain', 'agent'],
  ['retrieval', 'retrieval'],
  ['retrieve', 'retrieval'],
  ['rerank', 'retrieval'],
  ['search', 'retrieval'],
]);

/** The reading kind by operation; without one, by what the span names. */
export function readingKind(span: Facts): ReadingKind {
  const known = span.operation === null ? undefined : BY_OPERATION.get(span.operation);
  if (known) return known;
  if (span.operation === null) return 'other';
  if (span.model !== null) return 'llm';
  if (span.tool !== null) return 'tool';
  if (span.agent !== null) return 'agent';
  return 'other';
}
