import type { Fact, Mapped, ModelResponse, ToolEnd } from '../facts/types.ts';
import { commitsIn, opensPullRequest, pullRequestIn } from '../git/shell.ts';
import { type CaptureMode, Disclosure } from '../telemetry/capture.ts';
import type { AttributeValue, Count, Span } from '../telemetry/types.ts';
import { digest, spanIdOf, traceIdOf } from './ids.ts';
import { languageOf } from './language.ts';
import type { OpenCall, SessionState, Turn } from './state.ts';

const MOST_OPEN = 64;
const MOST_DONE = 256;
const MOST_TURNS = 4;
const AUTOMATIC = /^(?:acceptEdits|auto|auto_accept|bypassPermissions|dontAsk|yolo|agent)$/;
const IS_EDIT = /edit|write|patch|create|replace/i;

interface More {
  readonly parent?: string;
  readonly kind?: 'client';
  readonly error?: string | undefined;
}

/** Turns facts of a session, in their order, into spans and counts; what it must remember is in the state. */
export class Tracker {
  readonly spans: Span[] = [];
  readonly counts: Count[] = [];
  readonly #state: SessionState;
  readonly #mode: CaptureMode;
  readonly #headNow: () => string | undefined;

  constructor(
    state: SessionState,
    options: { readonly mode: CaptureMode; readonly headNow: () => string | undefined },
  ) {
    this.#state = state;
    this.#mode = options.mode;
    this.#headNow = options.headNow;
  }

  /** An event that arrived at `at`, in milliseconds. */
  event({ envelope, facts }: Mapped, at: number): void {
    const state = this.#state;
    state.lastAt = Math.max(state.lastAt, at);
    for (const key of ['cwd', 'model', 'user', 'version'] as const) {
      const value = envelope[key];
      if (value !== undefined) state[key] = value.slice(0, 1024);
    }
    if (envelope.permissionMode !== undefined && envelope.permissionMode !== state.mode) {
      if (state.mode !== undefined) {
        const said = this.#disclose('mode').id('coding_agent.session.permission_mode.from', state.mode);
        said.id('coding_agent.session.permission_mode.to', envelope.permissionMode);
        this.#emit(
          'coding_agent.session.permission_mode.changed',
          `${at}:${envelope.permissionMode}`,
          at,
          at,
          said,
        );
      }
      state.mode = envelope.permissionMode.slice(0, 64);
    }
    if (state.ended && !facts.some(({ kind }) => kind === 'session-end')) this.#reopen(at);
    if (!state.counted) {
      state.counted = true;
      this.#count('coding_agent.session.count', '{session}', 1, at);
    }
    for (const fact of facts) this.#fact(fact, at, envelope.turnId, envelope.agentId);
  }

  /** A response that a transcript tells of. */
  response(response: ModelResponse): void {
    const at = response.endedAt === 0 ? this.#state.lastAt : response.endedAt;
    const start = Math.min(response.startedAt ?? at, at);
    this.#state.model = response.model;
    const key = response.requestId ?? response.messageId;
    const said = this.#disclose('chat')
      .id('gen_ai.provider.name', response.provider)
      .id('gen_ai.request.model', response.model)
      .id('gen_ai.response.model', response.model)
      .id('gen_ai.response.id', response.messageId)
      .id('gen_ai.usage.input_tokens', response.input)
      .id('gen_ai.usage.output_tokens', response.output)
      .id('gen_ai.usage.cache_read.input_tokens', response.cacheRead)
      .id('gen_ai.usage.cache_creation.input_tokens', response.cacheWrite)
      .id('gen_ai.usage.cache_creation.ephemeral_1h_input_tokens', response.cacheWrite1h || undefined)
      .id('gen_ai.usage.reasoning.output_tokens', response.reasoning || undefined)
      .id('gen_ai.response.service_tier', response.serviceTier)
      .id('coding_agent.llm.source', response.source)
      .message('gen_ai.output.messages', 'assistant', response.text);
    if (response.stopReason !== undefined) said.id('gen_ai.response.finish_reasons', [response.stopReason]);
    const child = this.#state.subagents.find(({ agentId }) => agentId === response.agentId);
    const sub =
      child?.spanId ?? (response.agentId === undefined ? undefined : this.#id('subagent', response.agentId));
    const parent = response.source === 'subagent' ? sub : this.#turnAt(at)?.spanId;
    this.#emit('coding_agent.llm.turn', key, start, at, said, {
      parent: parent ?? this.#root(),
      kind: 'client',
    });
  }

  #fact(fact: Fact, at: number, turnId: string | undefined, agentId: string | undefined): void {
    switch (fact.kind) {
      case 'session-start':
        return;
      case 'session-end':
        this.#end(fact.reason ?? 'other', at);
        return;
      case 'prompt':
        this.#closeTurn(at, undefined, 'next-prompt');
        this.#openTurn(at, turnId, fact.text);
        return;
      case 'turn-end':
        this.#closeTurn(at, fact.error, 'stop', fact.text);
        return;
      case 'tool-start':
        this.#openCall(fact.callId, fact.tool, fact.args, at);
        return;
      case 'permission-request': {
        const call = this.#state.open.findLast(({ key, tool }) => key === fact.callId || tool === fact.tool);
        if (call !== undefined) call.askedAt = at;
        return;
      }
      case 'tool-end':
        this.#toolEnd(fact, at, turnId, agentId);
        return;
      case 'tool-denied':
        this.#denied(fact, at, turnId, agentId);
        return;
      case 'subagent-start': {
        // The call that asked for it is the last one that has none yet.
        const call = this.#state.open.findLast(
          ({ key, tool, subagent }) =>
            key === fact.callId || (subagent === undefined && /^(?:Agent|Task|spawn_agent|task)$/.test(tool)),
        );
        if (call !== undefined) call.subagent = fact.agentId;
        this.#state.subagents = this.#state.subagents.slice(1 - MOST_OPEN);
        this.#state.subagents.push({
          agentId: fact.agentId,
          agentType: fact.agentType,
          spanId: this.#id('subagent', fact.agentId),
          parentSpanId: call?.spanId ?? this.#parent(at, turnId),
          startedAt: at,
        });
        return;
      }
      case 'subagent-end': {
        const begun = this.#state.subagents.find(({ agentId: id }) => id === fact.agentId);
        const said = this.#disclose('invoke_agent')
          .id('coding_agent.agent.id', fact.agentId)
          .id('coding_agent.subagent.type', fact.agentType)
          .message('gen_ai.output.messages', 'assistant', fact.text);
        const parent = begun?.parentSpanId ?? this.#parent(at, turnId);
        const spanId = this.#id('subagent', fact.agentId);
        this.#push('coding_agent.subagent', spanId, begun?.startedAt ?? at, at, said, { parent });
        return;
      }
      case 'compaction': {
        const said = this.#disclose('compact').id('coding_agent.compaction.trigger', fact.trigger);
        this.#emit('coding_agent.session.compact', String(at), at, at, said, {
          parent: this.#parent(at, turnId),
        });
        return;
      }
      case 'unknown': {
        const said = this.#disclose('unknown').id('coding_agent.hook.event', fact.name.slice(0, 100));
        this.#emit('coding_agent.hook.unknown_event', `${at}:${fact.name.slice(0, 100)}`, at, at, said);
        return;
      }
      case 'response':
        this.response(fact.endedAt === 0 ? { ...fact, endedAt: at } : fact);
    }
  }

  #openTurn(at: number, id: string | undefined, prompt: string | undefined): void {
    const state = this.#state;
    state.turnCount += 1;
    const spanId = this.#id('turn', id ?? `${state.segment}:${state.turnCount}`);
    const kept = this.#mode === 'full' ? prompt?.slice(0, 64 << 10) : undefined;
    const turn: Turn = {
      spanId,
      startedAt: at,
      closed: false,
      tools: 0,
      ...(id && { id }),
      ...(kept && { prompt: kept }),
    };
    state.turns = [...state.turns.slice(1 - MOST_TURNS), turn];
  }

  #closeTurn(at: number, error: string | undefined, how: string, text?: string): void {
    const turn = this.#state.turns.at(-1);
    if (turn === undefined || turn.closed) return;
    turn.closed = true;
    this.#state.open = [];
    const said = this.#disclose('turn')
      .id('coding_agent.turn.number', this.#state.turnCount)
      .id('coding_agent.turn.tool_calls', turn.tools)
      .id('coding_agent.turn.end', how)
      .message('gen_ai.input.messages', 'user', turn.prompt)
      .message('gen_ai.output.messages', 'assistant', text);
    this.#push('coding_agent.turn', turn.spanId, turn.startedAt, at, said, { parent: this.#root(), error });
  }

  #openCall(callId: string, tool: string, args: unknown, at: number): void {
    const state = this.#state;
    const base = callId || digest(tool, JSON.stringify(args ?? '')).slice(0, 16);
    // Agents that name no calls may run the same twice.
    const key = callId || `${base}:${state.turnCount}:${state.totals.tools}`;
    const call: OpenCall = { key: callId || base, tool, spanId: this.#id('tool', key), startedAt: at };
    state.open = [...state.open.slice(1 - MOST_OPEN), call];
  }

  #toolEnd(fact: ToolEnd, at: number, turnId: string | undefined, agentId: string | undefined): void {
    const state = this.#state;
    const base = fact.callId || digest(fact.tool, JSON.stringify(fact.args ?? '')).slice(0, 16);
    if (fact.callId !== '' && state.done.includes(fact.callId)) return;
    const open = state.open.find(({ key }) => key === base);
    state.open = state.open.filter((call) => call !== open);
    if (fact.callId !== '') state.done = [...state.done.slice(1 - MOST_DONE), fact.callId];
    const spanId =
      open?.spanId ?? this.#id('tool', fact.callId || `${base}:${state.turnCount}:${state.totals.tools}`);
    // As the agent says, else from the two events, else it is not known.
    const durationMs = fact.durationMs ?? (open === undefined ? undefined : Math.max(0, at - open.startedAt));
    const start = open === undefined ? at - (fact.durationMs ?? 0) : open.startedAt;
    const end = fact.durationMs === undefined ? at : Math.max(start, Math.min(at, start + fact.durationMs));
    state.totals.tools += 1;
    if (fact.error !== undefined) state.totals.failedTools += 1;
    const turn = state.turns.at(-1);
    if (turn !== undefined) turn.tools += 1;
    const said = this.#tool(fact, agentId)
      .id('coding_agent.tool.duration_ms', durationMs)
      .id('coding_agent.tool.interrupted', fact.interrupted)
      .id(
        'coding_agent.permission.wait_ms',
        open?.askedAt === undefined ? undefined : Math.max(0, at - open.askedAt - (fact.durationMs ?? 0)),
      )
      .body('gen_ai.tool.call.result', fact.result)
      .name('coding_agent.tool.command', commandFor(this.#mode, fact.shell?.command));
    const parent = this.#parent(at, turnId, agentId);
    this.#push('coding_agent.tool.call', spanId, start, Math.max(start, end), said, {
      parent,
      error: fact.error,
    });
    const status = fact.error === undefined ? 'ok' : 'error';
    this.#count('coding_agent.tool.call.count', '{call}', 1, at, { ...this.#toolName(fact.tool), status });
    for (const edit of fact.edits ?? []) {
      const asked = open?.askedAt !== undefined;
      const automatic = !asked || AUTOMATIC.test(state.mode ?? '');
      const decision = edit.modified === true ? 'modify' : automatic ? 'auto_accepted' : 'accept';
      const source = asked ? 'user_interactive' : AUTOMATIC.test(state.mode ?? '') ? 'policy' : 'config';
      this.#decision({ ...edit, decision, source, tool: fact.tool }, at, spanId);
    }
    if (fact.error === undefined) this.#git(fact, at, spanId);
  }

  #denied(
    fact: Extract<Fact, { kind: 'tool-denied' }>,
    at: number,
    turnId: string | undefined,
    agentId: string | undefined,
  ): void {
    const state = this.#state;
    if (state.done.includes(fact.callId)) return;
    state.done = [...state.done.slice(1 - MOST_DONE), fact.callId];
    const open = state.open.find(({ key }) => key === fact.callId);
    state.open = state.open.filter((call) => call !== open);
    const spanId = open?.spanId ?? this.#id('tool', fact.callId);
    const said = this.#tool(fact, agentId).id('error.type', 'permission_denied');
    const parent = this.#parent(at, turnId, agentId);
    this.#push('coding_agent.tool.call', spanId, open?.startedAt ?? at, at, said, {
      parent,
      error: 'permission_denied',
    });
    state.totals.tools += 1;
    state.totals.failedTools += 1;
    this.#count('coding_agent.tool.call.count', '{call}', 1, at, {
      ...this.#toolName(fact.tool),
      status: 'denied',
    });
    if (!IS_EDIT.test(fact.tool)) return;
    const args = (fact.args ?? {}) as Readonly<Record<string, unknown>>;
    const path = typeof args['file_path'] === 'string' ? args['file_path'] : '';
    const source = open?.askedAt === undefined ? fact.source : 'user_interactive';
    this.#decision({ path, added: 0, removed: 0, decision: 'reject', source, tool: fact.tool }, at, spanId);
  }

  #decision(
    edit: {
      path: string;
      added: number;
      removed: number;
      diff?: string;
      decision: string;
      source: string;
      tool: string;
    },
    at: number,
    parent: string,
  ): void {
    const { totals } = this.#state;
    const language = languageOf(edit.path);
    const taken = edit.decision !== 'reject';
    if (taken) {
      totals.edited = true;
      totals.added += edit.added;
      totals.removed += edit.removed;
      totals.accepted += 1;
    } else totals.rejected += 1;
    const said = this.#disclose('edit')
      .id('coding_agent.edit.decision', edit.decision)
      .id('coding_agent.edit.decision.source', edit.source)
      .id('coding_agent.edit.lines.added', edit.added)
      .id('coding_agent.edit.lines.removed', edit.removed)
      .id('coding_agent.edit.language', language)
      .name('coding_agent.edit.tool.name', edit.tool)
      .name('code.file.path', edit.path || undefined)
      .body('coding_agent.edit.diff', edit.diff || undefined);
    this.#emit('coding_agent.edit.decision', `${parent}:${edit.path}`, at, at, said, { parent });
    const attributes = { decision: edit.decision, source: edit.source, language };
    this.#count('coding_agent.edit.decision.count', '{decision}', 1, at, attributes);
    if (!taken) return;
    this.#count('coding_agent.lines_of_code.count', '{line}', edit.added, at, { type: 'added' });
    this.#count('coding_agent.lines_of_code.count', '{line}', edit.removed, at, { type: 'removed' });
  }

  #git(fact: ToolEnd, at: number, parent: string): void {
    const state = this.#state;
    const { shell } = fact;
    const asked = shell === undefined ? [] : commitsIn(shell.command);
    const head = asked.length > 0 || fact.commits !== undefined ? this.#headNow() : undefined;
    let commits = (fact.commits ?? []).filter(({ amend }) => !amend).map(({ sha }) => sha);
    if (
      fact.commits === undefined &&
      asked.length > 0 &&
      shell?.exitCode !== undefined &&
      shell.exitCode !== 0
    )
      commits = [];
    else if (fact.commits === undefined && asked.length > 0) {
      const shas = [...shell!.output.matchAll(/^(?:Output: )?\[[^\]\n]{1,250} ([0-9a-f]{7,40})\]/gm)].map(
        ([, sha]) => sha ?? '',
      );
      const moved = head !== undefined && head !== state.head ? [head] : [];
      commits = shas.length > 0 ? shas.slice(0, asked.length) : moved;
    }
    if (head !== undefined) state.head = head;
    commits.forEach((sha, n) => {
      const said = this.#disclose('git')
        .id('coding_agent.git.commit.sha', sha)
        .body('coding_agent.git.commit.message', asked[n]?.message);
      this.#emit('coding_agent.git.commit', sha.slice(0, 7), at, at, said, { parent });
      state.totals.commits += 1;
      this.#count('coding_agent.commit.count', '{commit}', 1, at);
    });
    const byTool = /create_(?:pull|merge)_request$/.test(fact.tool);
    if (!byTool && (shell === undefined || !opensPullRequest(shell.command))) return;
    const found = pullRequestIn(shell?.output ?? JSON.stringify(fact.result ?? ''));
    if (found === undefined) return;
    const said = this.#disclose('git')
      .id('coding_agent.git.pull_request.url', found.url)
      .id('coding_agent.git.pull_request.number', found.number);
    this.#emit('coding_agent.git.pull_request', found.url, at, at, said, { parent });
    state.totals.pullRequests += 1;
    this.#count('coding_agent.pull_request.count', '{pull_request}', 1, at);
  }

  #end(reason: string, at: number): void {
    const state = this.#state;
    if (state.ended) return;
    this.#closeTurn(at, undefined, 'session-end');
    state.ended = true;
    const { totals } = state;
    const outcome =
      totals.commits > 0 && totals.edited
        ? 'committed'
        : state.turnCount > 0
          ? 'completed'
          : 'abandoned_no_change';
    const said = this.#disclose('invoke_agent')
      .id('coding_agent.session.outcome', outcome)
      .id('coding_agent.session.end.reason', reason)
      .id('coding_agent.session.duration_ms', at - state.startedAt)
      .id('coding_agent.session.turns', state.turnCount)
      .id('coding_agent.session.tool_call_count', totals.tools)
      .id('coding_agent.session.lines.added', totals.added)
      .id('coding_agent.session.lines.removed', totals.removed)
      .id('coding_agent.session.edit.accept_count', totals.accepted)
      .id('coding_agent.session.edit.reject_count', totals.rejected)
      .id('coding_agent.session.commit_count', totals.commits)
      .id('coding_agent.session.pr_count', totals.pullRequests);
    this.#push('coding_agent.session', this.#root(), state.startedAt, at, said);
    this.#count('coding_agent.session.duration', 's', (at - state.startedAt) / 1000, at);
  }

  /** It goes on after its end: from here a root of its own in the same trace. */
  #reopen(at: number): void {
    const state = this.#state;
    state.segment += 1;
    state.ended = false;
    state.startedAt = at;
    state.totals.edited = false;
    for (const key of [
      'tools',
      'failedTools',
      'added',
      'removed',
      'accepted',
      'rejected',
      'commits',
      'pullRequests',
    ] as const) {
      state.totals[key] = 0;
    }
  }

  #tool(
    fact: {
      readonly callId: string;
      readonly tool: string;
      readonly args?: unknown;
      readonly mcpServer?: string;
    },
    agentId: string | undefined,
  ) {
    return this.#disclose('execute_tool')
      .id('gen_ai.tool.call.id', fact.callId || undefined)
      .id('coding_agent.agent.id', agentId)
      .name('gen_ai.tool.name', fact.tool)
      .name('coding_agent.mcp.server.name', fact.mcpServer)
      .body('gen_ai.tool.call.arguments', fact.args);
  }

  #toolName(tool: string): Record<string, AttributeValue> {
    return this.#mode === 'minimal' ? {} : { tool: tool.slice(0, 100) };
  }
  #root(): string {
    const { segment } = this.#state;
    return this.#id('root', segment === 0 ? '' : String(segment));
  }
  #parent(at: number, turnId: string | undefined, agentId?: string): string {
    const sub =
      agentId === undefined ? undefined : this.#state.subagents.find((one) => one.agentId === agentId);
    if (sub !== undefined) return sub.spanId;
    const turn =
      this.#state.turns.findLast(({ id }) => id !== undefined && id === turnId) ?? this.#turnAt(at);
    return turn?.spanId ?? this.#root();
  }
  #turnAt(at: number): Turn | undefined {
    return this.#state.turns.findLast(({ startedAt }) => startedAt <= at) ?? this.#state.turns[0];
  }
  #id(kind: string, key: string): string {
    return spanIdOf(this.#state.agent, this.#state.sessionId, kind, key);
  }
  #disclose(operation: string): Disclosure {
    const said = new Disclosure(this.#mode);
    if (/^(?:chat|execute_tool|invoke_agent)$/.test(operation)) said.id('gen_ai.operation.name', operation);
    return said.id('gen_ai.agent.name', this.#state.agent).id('gen_ai.request.user', this.#state.user);
  }
  #emit(name: string, key: string, start: number, end: number, said: Disclosure, more: More = {}): void {
    this.#push(name, this.#id(name, key), start, end, said, { parent: this.#root(), ...more });
  }
  #push(
    name: string,
    spanId: string,
    startMs: number,
    endMs: number,
    said: Disclosure,
    more: More = {},
  ): void {
    const { agent, sessionId } = this.#state;
    said.id('coding_agent.session.id', sessionId).id('coding_agent.client', agent);
    if (more.error !== undefined && said.values['error.type'] === undefined)
      said.id('error.type', 'tool_error');
    this.spans.push({
      traceId: traceIdOf(agent, sessionId),
      spanId,
      ...(more.parent === undefined ? {} : { parentSpanId: more.parent }),
      name,
      kind: more.kind ?? 'internal',
      startMs,
      endMs,
      attributes: said.values,
      ...(more.error === undefined ? {} : { error: said.error(more.error) }),
    });
  }
  #count(
    name: string,
    unit: string,
    value: number,
    atMs: number,
    attributes: Record<string, AttributeValue> = {},
  ): void {
    if (value <= 0) return;
    const { agent, user, repository, model } = this.#state;
    const common = {
      agent,
      ...(user && { user }),
      ...(repository && { repository }),
      ...(model && { model }),
    };
    this.counts.push({ name, unit, value, atMs, attributes: { ...common, ...attributes } });
  }
}

/** The whole line in `full`, its program else: a line holds content. */
function commandFor(mode: CaptureMode, command: string | undefined): string | undefined {
  return mode === 'full' ? command : command?.trim().split(/\s/)[0]?.split('/').at(-1);
}
