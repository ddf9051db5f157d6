import type { Mapped, ModelResponse } from './facts/types.ts';

/** Ids as they are in commands, addresses and telemetry. */
export type AgentId =
  | 'claude-code'
  | 'cursor'
  | 'codex'
  | 'windsurf'
  | 'gemini-cli'
  | 'copilot-cli'
  | 'opencode';

/** One coding agent; a new one is a folder in `agents/` and a line in its registry. */
export interface CodingAgent {
  readonly id: AgentId;
  readonly title: string;
  /** Other names that people type. */
  readonly aliases: readonly string[];
  /** The program that `launch` starts. */
  readonly program: string;
  /** Whether sessions end with a turn: the agent has no event for the end of a session. */
  readonly endsWithTurn?: boolean;
  /** A payload of one of its hooks in neutral terms; undefined where it names no session. Never throws. */
  map(event: string, payload: unknown): Mapped | undefined;
  readonly transcript?: Transcript;
  readonly install: HookFile;
}

/** What an agent writes about a session beside its hooks: the model responses are only there. */
export interface Transcript {
  /** Folders below the home folder that its files lie in; others are not read. */
  readonly roots: readonly string[];
  /** How a line must contain to be parsed at all. */
  readonly marks: readonly string[];
  /** What lines say; `state` carries over from the lines before and must be JSON. */
  read(
    lines: readonly string[],
    state: TranscriptState,
  ): { readonly responses: readonly ModelResponse[]; readonly state: TranscriptState };
  /** The response that the last line left open; undefined when there is none. */
  finish(state: TranscriptState): ModelResponse | undefined;
}

export interface TranscriptState {
  readonly open?: ModelResponse;
  /** Time of the line before: when the request was sent. */
  readonly before?: number;
  /** The turn's model, where lines with usage do not name it. */
  readonly model?: string;
}

/** Where hooks are wired in, and how. */
export interface HookFile {
  /** Path below the home folder. */
  readonly path: string;
  /** `own`: the whole file is ours. `json`: entries are inserted, comments and format of the rest stay. */
  readonly kind: 'json' | 'own';
  /** Entries to insert; `command` gives the shell line for an event. */
  entries(command: CommandFor): readonly Entry[];
  /** The file, where it is our own. */
  whole?(command: CommandFor): string;
  /** What the person has to do afterwards. */
  readonly afterwards?: string;
}

/** Without a shell that of POSIX; agents that have a line of its own for Windows get PowerShell's there. */
export type CommandFor = (event: string, answer?: string, shell?: 'powershell') => string;

/** `value` is appended to the list at `path`, which is made where it is missing; or set, where `set` is true and nothing is there. */
export interface Entry {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly set?: true;
}
