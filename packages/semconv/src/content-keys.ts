/** Which attributes hold prompts, completions and other text of any size. */

const EXACT: ReadonlySet<string> = new Set([
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.system_instructions',
  'gen_ai.prompt',
  'gen_ai.completion',
  'gen_ai.tool.definitions',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
  'gen_ai.tool.args',
  'gen_ai.tool.description',
  'gen_ai.tool.message',
  'gen_ai.content.prompt',
  'gen_ai.content.completion',
  'gen_ai.content.revised_prompt',
  'gen_ai.content.reasoning',
  'gen_ai.response.image',
  'gen_ai.event.content',
  'gen_ai.retrieval.documents',
  'gen_ai.retrieval.query.text',
  'gen_ai.memory.content',
  'gen_ai.choice',
  'gen_ai.system.message',
  'gen_ai.user.message',
  'gen_ai.assistant.message',
  'gen_ai.tool.call.input',
  'gen_ai.tool.call.output',
  'input.value',
  'output.value',
  'llm.prompts',
  'llm.completions',
  'llm.invocation_parameters.tools',
  'llm.prompt_template.template',
  'llm.prompt_template.variables',
  'llm.request.functions',
  'llm.function_call',
  'tool.parameters',
  'tool.json_schema',
  'tool_call.function.arguments',
  'traceloop.entity.input',
  'traceloop.entity.output',
  'ai.prompt',
  'ai.prompt.messages',
  'ai.prompt.tools',
  'ai.response.text',
  'ai.response.object',
  'ai.response.toolCalls',
  'ai.response.reasoning',
  'ai.response.files',
  'ai.result.text',
  'ai.result.object',
  'ai.toolCall.args',
  'ai.toolCall.result',
  'ai.value',
  'ai.values',
  'ai.embedding',
  'ai.embeddings',
  'ai.schema',
  'langfuse.observation.input',
  'langfuse.observation.output',
  'langfuse.trace.input',
  'langfuse.trace.output',
  'genkit:input',
  'genkit:output',
  'mlflow.spanInputs',
  'mlflow.spanOutputs',
  'mlflow.chat.tools',
  'lmnr.span.input',
  'lmnr.span.output',
  'opik.input',
  'opik.output',
  // Logfire's of OpenAI Agents, Opik's.
  'input',
  'output',
  'request_data',
  'raw_input',
  'langsmith.inputs',
  'langsmith.outputs',
  'db.query.text',
  'db.statement',
  'coding_agent.llm.thought.text',
  'coding_agent.tool.command',
  'coding_agent.tool.agent_message',
  'coding_agent.subagent.task',
  'coding_agent.subagent.description',
  'coding_agent.subagent.summary',
  'coding_agent.git.commit.message',
  'coding_agent.edit.diff',
  // Claude Code's own spans.
  'user_prompt',
  'response.model_output',
  'tool_input',
  'full_command',
  'new_context',
  'gcp.vertex.agent.llm_request',
  'gcp.vertex.agent.llm_response',
  'gcp.vertex.agent.tool_call_args',
  'gcp.vertex.agent.tool_response',
  'pydantic_ai.all_messages',
  'all_messages_events',
  'mcp.request.arguments',
  'mcp.response.content',
]);

/** Numbered and nested families. */
const FAMILIES: readonly string[] = [
  'gen_ai.prompt.',
  'gen_ai.completion.',
  'gen_ai.input.messages.',
  'gen_ai.output.messages.',
  'gen_ai.tool.definitions.',
  'gen_ai.system_instructions.',
  'llm.input_messages.',
  'llm.output_messages.',
  'llm.prompts.',
  'llm.completions.',
  'llm.choices.',
  'llm.tools.',
  'llm.request.functions.',
  'retrieval.documents.',
  'reranker.input_documents.',
  'reranker.output_documents.',
  'reranker.query',
  'embedding.embeddings.',
];

/** Inside the families, short facts that filters want: they stay with the plain attributes. */
const PLAIN: ReadonlySet<string> = new Set([
  'gen_ai.prompt.name',
  'gen_ai.prompt.version',
  'gen_ai.prompt.id',
  'gen_ai.prompt.label',
]);

const MAX_CACHE = 4096;
const cache = new Map<string, boolean>();

/**
 * Does this attribute hold a prompt, a completion, a tool definition or another text of any size, in any convention?
 * Such attributes are stored apart, so that lists never read them.
 */
export function isContentKey(key: string): boolean {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const answer = EXACT.has(key) || (!PLAIN.has(key) && FAMILIES.some((family) => key.startsWith(family)));
  if (key.length <= 256) {
    if (cache.size >= MAX_CACHE) cache.clear();
    cache.set(key, answer);
  }
  return answer;
}
