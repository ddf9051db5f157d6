import { isListedRepository } from '@candela/kernel';
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { agentNamed } from '../agents/index.ts';
import { objectOf, parseJson } from '../facts/read.ts';
import type { ModelResponse } from '../facts/types.ts';
import { repositoryOf } from '../git/repository.ts';
import { digest, fileKeyOf } from '../session/ids.ts';
import { newState, type SessionState } from '../session/state.ts';
import { Tracker } from '../session/tracker.ts';
import type { CaptureMode } from '../telemetry/capture.ts';
import { metricsRequest, traceRequest } from '../telemetry/otlp.ts';
import type { AttributeValue, Batch } from '../telemetry/types.ts';
import { namesIn, readText, writeWhole } from './files.ts';
import type { Folders } from './folders.ts';
import { readTranscript } from './transcripts.ts';

/** What the drainer works with. */
export interface DrainSettings {
  readonly home: string;
  readonly capture: CaptureMode;
  /** Lists of repositories, the person's own and the organisation's: what is on all of them is sent. */
  readonly repositories: readonly (readonly string[])[];
  readonly user?: string;
  readonly host: string;
  readonly environment: string;
  readonly version: string;
}

const EVENTS_A_STEP = 500;
const LARGEST_EVENT = 16 << 20;
const MOST_BAD = 20;
/** An event is complete when it parses; what does not after this time never will. */
const IDLE_MS = 2000;
/** Agents write their transcript beside their hooks: it is read a moment later. */
const SETTLE_MS = 250;

/** A step as it was decided: to do it twice is to do it once. */
interface Commit {
  readonly taken: readonly string[];
  readonly sessions: Readonly<Record<string, SessionState>>;
  readonly responses: readonly string[];
  readonly traces?: object;
  readonly metrics?: object;
}

/** Moves complete events from the spool to the taken ones, named by their arrival. Returns how many. */
export function take(folders: Folders, now = Date.now()): number {
  let moved = 0;
  const found = namesIn(folders.spool).flatMap((name) => {
    try {
      const { mtimeMs, size } = statSync(join(folders.spool, name));
      return name === 'full' ? [] : [{ name, mtimeMs, size }];
    } catch {
      return [];
    }
  });
  found.sort((a, b) => a.mtimeMs - b.mtimeMs || (a.name < b.name ? -1 : 1));
  for (const { name, mtimeMs, size } of found.slice(0, EVENTS_A_STEP)) {
    if (now - mtimeMs < SETTLE_MS) continue;
    const file = join(folders.spool, name);
    const payload = size <= LARGEST_EVENT ? parseJson(readText(file) ?? '') : undefined;
    if (payload === undefined) {
      if (size > LARGEST_EVENT || now - mtimeMs > IDLE_MS) setAside(folders, file, name);
      continue;
    }
    const stamp = String(Math.round(mtimeMs * 1000)).padStart(17, '0');
    renameSync(file, join(folders.taken, `${stamp}-${String(moved).padStart(4, '0')}-${name}`));
    moved += 1;
  }
  return moved;
}

/** Keeps what cannot be used for a person to look at, the last few of them. */
export function setAside(folders: Folders, file: string, name: string): void {
  mkdirSync(folders.bad, { recursive: true, mode: 0o700 });
  renameSync(file, join(folders.bad, `${Date.now()}-${name}`.slice(0, 200)));
  for (const old of namesIn(folders.bad).slice(0, -MOST_BAD)) rmSync(join(folders.bad, old), { force: true });
}

/** Maps taken events into requests in the outbox; state, requests and the end of the events change together. Returns how many. */
export function step(folders: Folders, settings: DrainSettings, counted: Set<string>): number {
  const names = namesIn(folders.taken).slice(0, EVENTS_A_STEP);
  if (names.length === 0) return 0;
  const sessions = new Map<string, SessionState>();
  const batches: Batch[] = [];
  const responses: string[] = [];
  for (const name of names) {
    // stamp - number - agent . event . ids of processes
    const [, agentName = '', event = ''] =
      /^\d+-\d+-([a-z-]+)\.([A-Za-z0-9_.]+?)\.\d+\.\d+(?:\.b)?$/.exec(name) ?? [];
    const agent = agentNamed(agentName);
    const mapped = agent?.map(event, parseJson(readText(join(folders.taken, name)) ?? ''));
    if (agent === undefined || mapped === undefined) continue;
    const at = Number(name.slice(0, 17)) / 1000;
    const { envelope } = mapped;
    const key = fileKeyOf(agent.id, envelope.sessionId);
    let state = sessions.get(key);
    if (state === undefined) {
      state = readState(folders, key, newState(agent.id, envelope.sessionId.slice(0, 256), at));
      sessions.set(key, state);
    }
    const folder = envelope.cwd ?? state.cwd;
    const repository = folder === undefined ? undefined : repositoryOf(folder);
    if (repository !== undefined) {
      if (repository.url !== undefined) state.repository = repository.url;
      if (repository.branch !== undefined) state.branch = repository.branch;
      state.head ??= repository.head ?? '';
    }
    const user = settings.user ?? envelope.user ?? repository?.email;
    if (user !== undefined) state.user = user;
    if (!settings.repositories.every((list) => isListedRepository(state.repository ?? '', list))) continue;
    const headNow = () => (folder === undefined ? undefined : repositoryOf(folder)?.head);
    const tracker = new Tracker(state, { mode: settings.capture, headNow });
    const isEnd = mapped.facts.some(({ kind }) => kind === 'session-end');
    const isTurnEnd = mapped.facts.some(({ kind }) => kind === 'turn-end' || kind === 'subagent-end');
    const last = isEnd ? 'session' : isTurnEnd ? 'turn' : undefined;
    const fresh = (response: ModelResponse) => {
      const keys = keysOf(response, agent.id, envelope.sessionId);
      const known = keys.some((one) => counted.has(one));
      for (const one of keys) {
        counted.add(one);
        if (!known) responses.push(one);
      }
      return !known;
    };
    if (agent.transcript !== undefined && envelope.transcriptPath !== undefined) {
      const read = readTranscript(agent.transcript, envelope.transcriptPath, state, {
        home: settings.home,
        last,
      });
      for (const response of read) if (fresh(response)) tracker.response(response);
    }
    const facts = mapped.facts.filter((fact) => fact.kind !== 'response' || fresh(fact));
    tracker.event({ envelope, facts }, at);
    batches.push({ resource: resourceOf(state, settings), spans: tracker.spans, counts: tracker.counts });
  }
  const traces = traceRequest(batches);
  const metrics = metricsRequest(batches);
  const commit: Commit = {
    taken: names,
    sessions: Object.fromEntries(sessions),
    responses,
    ...(traces && { traces }),
    ...(metrics && { metrics }),
  };
  const name = `${names[0]?.slice(0, 22) ?? ''}-${digest(...names).slice(0, 12)}.json`;
  writeWhole(join(folders.commits, name), JSON.stringify(commit));
  apply(folders, name, commit);
  return names.length;
}

/** Ends steps that a kill stopped in the middle. */
export function recover(folders: Folders): void {
  for (const name of namesIn(folders.commits)) {
    const read = objectOf(parseJson(readText(join(folders.commits, name)) ?? ''));
    // Of something else than a step nothing can be done; the events it may have been about are still there.
    const { taken, sessions, responses } = read;
    if ([taken, responses].every(Array.isArray) && objectOf(sessions) === sessions)
      apply(folders, name, read as unknown as Commit);
    else rmSync(join(folders.commits, name), { force: true, recursive: true });
  }
}

function apply(folders: Folders, name: string, commit: Commit): void {
  for (const [key, state] of Object.entries(commit.sessions)) {
    writeWhole(join(folders.sessions, `${key}.json`), JSON.stringify(state));
  }
  if (commit.responses.length > 0)
    appendFileSync(folders.responses, `${commit.responses.join('\n')}\n`, { mode: 0o600 });
  for (const [kind, request] of [
    ['traces', commit.traces],
    ['metrics', commit.metrics],
  ] as const) {
    if (request !== undefined)
      writeWhole(join(folders.outbox, `${name.slice(0, -5)}.${kind}.json`), JSON.stringify(request));
  }
  for (const taken of commit.taken) rmSync(join(folders.taken, taken), { force: true });
  rmSync(join(folders.commits, name), { force: true });
}

/** What is remembered of a session. A file that holds something else is none: one of them must not stop all others. */
function readState(folders: Folders, key: string, fresh: SessionState): SessionState {
  const read = objectOf(parseJson(readText(join(folders.sessions, `${key}.json`)) ?? ''));
  const isOne = Object.entries(fresh).every(([name, value]) => {
    const held = read[name];
    return held !== null && typeof held === typeof value && Array.isArray(held) === Array.isArray(value);
  });
  return isOne ? (read as unknown as SessionState) : fresh;
}

/**
 * What makes a response the same one: request and message id everywhere, as forks copy both. A gateway that gives no
 * request ids may reuse message ids in other sessions.
 */
function keysOf({ requestId, messageId }: ModelResponse, agent: string, sessionId: string): string[] {
  const scope =
    requestId === undefined
      ? ['session', agent, sessionId, messageId]
      : ['request', agent, requestId, messageId];
  return [digest(...scope).slice(0, 24)];
}

const COUNTED_BYTES = 16 << 20;

/** Keys of responses that were counted before. */
export function readCounted(folders: Folders): Set<string> {
  try {
    const bytes = readFileSync(folders.responses);
    return new Set(
      bytes
        .subarray(Math.max(0, bytes.length - COUNTED_BYTES))
        .toString('latin1')
        .split('\n')
        .filter(Boolean),
    );
  } catch {
    return new Set();
  }
}

function resourceOf(state: SessionState, settings: DrainSettings): Record<string, AttributeValue> {
  const { capture, host, environment, version } = settings;
  return {
    'service.name': state.agent,
    ...(state.version && { 'service.version': state.version }),
    'deployment.environment.name': environment,
    'coding_agent.session.id': state.sessionId,
    'gen_ai.conversation.id': state.sessionId,
    'coding_agent.content_capture_mode': capture,
    'coding_agent.signal_source': 'hook',
    'coding_agent.hook.cli.version': version,
    ...(state.user && { 'gen_ai.request.user': state.user }),
    'host.name': host,
    ...(state.cwd && capture !== 'minimal' && { 'code.cwd': state.cwd }),
    ...(state.repository && { 'vcs.repository.url.full': state.repository }),
    ...(state.branch && { 'vcs.ref.head.name': state.branch }),
    ...(state.mode && { 'coding_agent.policy.permission_mode': state.mode }),
  };
}
