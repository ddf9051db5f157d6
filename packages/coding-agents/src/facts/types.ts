/** What a coding agent did, without regard to which: hooks and transcripts are mapped to these. */
export type Fact =
  | { readonly kind: 'session-start'; readonly source?: string }
  | { readonly kind: 'session-end'; readonly reason?: string }
  | { readonly kind: 'prompt'; readonly text?: string }
  | { readonly kind: 'turn-end'; readonly text?: string; readonly error?: string }
  | { readonly kind: 'tool-start'; readonly callId: string; readonly tool: string; readonly args?: unknown }
  | ToolEnd
  | {
      readonly kind: 'tool-denied';
      readonly callId: string;
      readonly tool: string;
      readonly args?: unknown;
      readonly source: DecisionSource;
    }
  | { readonly kind: 'permission-request'; readonly callId: string; readonly tool: string }
  | {
      readonly kind: 'subagent-start';
      readonly agentId: string;
      readonly agentType: string;
      readonly callId?: string;
    }
  | {
      readonly kind: 'subagent-end';
      readonly agentId: string;
      readonly agentType: string;
      readonly text?: string;
    }
  | { readonly kind: 'compaction'; readonly trigger: string }
  | { readonly kind: 'unknown'; readonly name: string }
  | ModelResponse;

export type Decision = 'accept' | 'auto_accepted' | 'reject' | 'modify';
export type DecisionSource = 'user_interactive' | 'user_permanent_rule' | 'hook' | 'config' | 'policy';

/** A tool's call that ended. */
export interface ToolEnd {
  readonly kind: 'tool-end';
  readonly callId: string;
  readonly tool: string;
  readonly args?: unknown;
  readonly result?: unknown;
  /** What went wrong; undefined where it worked. */
  readonly error?: string;
  readonly interrupted?: boolean;
  /** As the agent says; absent where it does not. */
  readonly durationMs?: number;
  readonly edits?: readonly FileEdit[];
  /** A shell command that was run, for commits and pull requests. */
  readonly shell?: { readonly command: string; readonly output: string; readonly exitCode?: number };
  /** Commits that the agent itself reports. */
  readonly commits?: readonly { readonly sha: string; readonly amend: boolean; readonly branch?: string }[];
  readonly mcpServer?: string;
}

/** A file that was changed, in lines as `git diff --numstat` counts them. */
export interface FileEdit {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  /** Unified diff without its head; content. */
  readonly diff?: string;
  /** Whether the person changed the proposal before it was taken. */
  readonly modified?: boolean;
}

/** One response of a model. Classes of tokens overlap as in OpenTelemetry: input holds cache reads and writes, output reasoning. */
export interface ModelResponse {
  readonly kind: 'response';
  readonly messageId: string;
  readonly requestId?: string;
  readonly model: string;
  readonly provider: string;
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Part of `cacheWrite` that is kept for an hour. */
  readonly cacheWrite1h: number;
  readonly output: number;
  readonly reasoning: number;
  /** Milliseconds since 1970; start is absent where the record has no time of the request. */
  readonly startedAt?: number;
  readonly endedAt: number;
  readonly text?: string;
  readonly stopReason?: string;
  /** What the call served. */
  readonly source: 'main' | 'subagent' | 'side';
  readonly agentId?: string;
  readonly serviceTier?: string;
}

/** What every hook event says beside its facts. */
export interface Envelope {
  readonly sessionId: string;
  readonly cwd?: string;
  readonly transcriptPath?: string;
  /** The agent's own id of the turn. */
  readonly turnId?: string;
  readonly permissionMode?: string;
  readonly model?: string;
  readonly user?: string;
  readonly version?: string;
  /** Inside a sub-agent: which. */
  readonly agentId?: string;
  /** Trace context of the agent's own telemetry. */
  readonly traceparent?: string;
}

/** A hook event in neutral terms. */
export interface Mapped {
  readonly envelope: Envelope;
  readonly facts: readonly Fact[];
}
