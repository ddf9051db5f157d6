import { browse } from './browse.ts';
import { chat } from './chat.ts';
import { checkout } from './checkout.ts';
import { codeHelper } from './code-helper.ts';
import { codingSession } from './coding-session.ts';
import { digest } from './digest.ts';
import { rag } from './rag.ts';
import { research } from './research.ts';
import type { Scenario } from './scenario.ts';
import { supportAgent } from './support-agent.ts';

export type { Scenario } from './scenario.ts';

/** Everything that goes on in the demo; the explicit registry. */
export const SCENARIOS: readonly Scenario[] = [
  chat,
  rag,
  supportAgent,
  research,
  codeHelper,
  codingSession,
  digest,
  checkout,
  browse,
];
