/** Frameworks by the scopes that instrument them, and by what they call their own. */
const FRAMEWORKS: readonly (readonly [scope: RegExp, name: string])[] = [
  [/openai[._-]?agents/i, 'OpenAI Agents'],
  [/langgraph/i, 'LangGraph'],
  [/langchain|langsmith/i, 'LangChain'],
  [/crewai/i, 'CrewAI'],
  [/pydantic/i, 'Pydantic AI'],
  [/gcp\.vertex\.agent|google[._-]?adk/i, 'Google ADK'],
  [/^ai$|vercel/i, 'Vercel AI SDK'],
  [/claude[._-]?code/i, 'Claude Code'],
  [/codex/i, 'Codex'],
  [/llama[._-]?index/i, 'LlamaIndex'],
  [/smolagents/i, 'smolagents'],
  [/autogen/i, 'AutoGen'],
  [/semantic[._-]?kernel/i, 'Semantic Kernel'],
  [/haystack/i, 'Haystack'],
  [/\bagno\b/i, 'Agno'],
  [/\bstrands\b/i, 'Strands Agents'],
  [/\bmastra\b/i, 'Mastra'],
];

/** Conventions and scopes of an agent as the frameworks that they stand for; as they are where none is known. */
export function frameworksOf(names: readonly string[]): string {
  const known = names.flatMap((name) => FRAMEWORKS.find(([scope]) => scope.test(name))?.[1] ?? []);
  return [...new Set(known.length > 0 ? known : names)].join(', ');
}
