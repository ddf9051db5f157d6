/** The registry: every convention, the most specific first. A new convention is one file and one line here. */
import type { Convention } from '../types.ts';
import { copilotCli, geminiCli } from './agent-clis.ts';
import { anthropicSdk } from './anthropic-sdk.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { codingAgents } from './coding-agents.ts';
import { genAi } from './gen-ai.ts';
import { genkit } from './genkit.ts';
import { laminar } from './laminar.ts';
import { langfuse } from './langfuse.ts';
import { langsmith } from './langsmith.ts';
import { logfire } from './logfire.ts';
import { mlflow } from './mlflow.ts';
import { openInference } from './openinference.ts';
import { opik } from './opik.ts';
import { traceloop } from './traceloop.ts';
import { vercelAi } from './vercel-ai.ts';

export const CONVENTIONS: readonly Convention[] = [
  codingAgents,
  claudeCode,
  codex,
  copilotCli,
  geminiCli,
  openInference,
  langfuse,
  langsmith,
  genkit,
  mlflow,
  laminar,
  opik,
  logfire,
  vercelAi,
  traceloop,
  anthropicSdk,
  genAi,
];
