import type { TranscriptState } from '../agent.ts';

/** What is remembered of a session between events; it is JSON and lies on the disk. */
export interface SessionState {
  readonly agent: string;
  readonly sessionId: string;
  startedAt: number;
  lastAt: number;
  /** How often it was ended and begun anew. */
  segment: number;
  ended: boolean;
  counted: boolean;
  turns: Turn[];
  turnCount: number;
  open: OpenCall[];
  subagents: OpenSubagent[];
  /** Calls whose end was told: the agents tell some twice. */
  done: string[];
  mode?: string;
  model?: string;
  cwd?: string;
  user?: string;
  repository?: string;
  branch?: string;
  head?: string;
  version?: string;
  transcripts: { path: string; offset: number; state: TranscriptState }[];
  totals: Totals;
}
export interface Turn {
  readonly spanId: string;
  readonly id?: string;
  readonly startedAt: number;
  readonly prompt?: string;
  closed: boolean;
  tools: number;
}
export interface OpenCall {
  readonly key: string;
  readonly tool: string;
  readonly spanId: string;
  readonly startedAt: number;
  askedAt?: number;
  subagent?: string;
}
export interface OpenSubagent {
  readonly agentId: string;
  readonly agentType: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly startedAt: number;
}
export interface Totals {
  tools: number;
  failedTools: number;
  added: number;
  removed: number;
  accepted: number;
  rejected: number;
  commits: number;
  pullRequests: number;
  edited: boolean;
}

export function newState(agent: string, sessionId: string, at: number): SessionState {
  return {
    agent,
    sessionId,
    startedAt: at,
    lastAt: at,
    segment: 0,
    ended: false,
    counted: false,
    turns: [],
    turnCount: 0,
    open: [],
    subagents: [],
    done: [],
    transcripts: [],
    totals: {
      tools: 0,
      failedTools: 0,
      added: 0,
      removed: 0,
      accepted: 0,
      rejected: 0,
      commits: 0,
      pullRequests: 0,
      edited: false,
    },
  };
}
