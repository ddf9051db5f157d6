import { expect, it } from 'vitest';
import { frameworksOf } from './frameworks.ts';

it.each([
  [['openinference', 'openinference.instrumentation.openai_agents'], 'OpenAI Agents'],
  [['opentelemetry.instrumentation.crewai', 'traceloop'], 'CrewAI'],
  [['gen-ai', 'pydantic-ai'], 'Pydantic AI'],
  [['gcp.vertex.agent', 'gen-ai'], 'Google ADK'],
  [['ai', 'vercel-ai'], 'Vercel AI SDK'],
  [['claude-code', 'com.anthropic.claude_code.tracing'], 'Claude Code'],
  [['langsmith', 'openinference.instrumentation.langchain'], 'LangChain'],
  // None that is known: what was said.
  [['gen-ai', 'my.diagnostics'], 'gen-ai, my.diagnostics'],
  [[], ''],
])('%j are those of %s', (names, expected) => {
  expect(frameworksOf(names)).toBe(expected);
});
