import { realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Transcript } from '../agent.ts';
import type { ModelResponse } from '../facts/types.ts';
import type { SessionState } from '../session/state.ts';
import { readPart } from './files.ts';

const STEP_BYTES = 8 << 20;
const MOST_STEPS = 32;
const MOST_FILES = 64;

/** Responses that a session's transcript holds since it was last read; the place is kept in the state. */
export function readTranscript(
  transcript: Transcript,
  path: string,
  state: SessionState,
  { home, last }: { readonly home: string; readonly last: 'session' | 'turn' | undefined },
): ModelResponse[] {
  const real = allowed(path, transcript.roots, home);
  if (real === undefined) return [];
  let place = state.transcripts.find((one) => one.path === real);
  if (place === undefined) {
    place = { path: real, offset: 0, state: {} };
    state.transcripts = [...state.transcripts.slice(1 - MOST_FILES), place];
  }
  const responses: ModelResponse[] = [];
  for (let step = 0; step < MOST_STEPS; step++) {
    const part = readPart(real, place.offset, STEP_BYTES);
    if (part === undefined) break;
    if (part.size < place.offset) place.offset = 0;
    const end = part.bytes.lastIndexOf(10);
    if (end === -1) {
      // A line that is longer than a step is left out.
      if (part.bytes.length < STEP_BYTES) break;
      place.offset += part.bytes.length;
      continue;
    }
    const lines = linesWith(part.bytes.subarray(0, end + 1), transcript.marks);
    const read = transcript.read(lines, place.state);
    responses.push(...read.responses);
    place.state = read.state;
    place.offset += end + 1;
  }
  const open = transcript.finish(place.state);
  if (open !== undefined && (last === 'session' || (last === 'turn' && open.stopReason !== undefined))) {
    responses.push(open);
    const { open: _, ...rest } = place.state;
    place.state = rest;
  }
  const child = /\/subagents\/agent-([A-Za-z0-9_-]{1,100})\.jsonl$/.exec(real)?.[1];
  return child === undefined
    ? responses
    : responses.map((response) => ({
        ...response,
        source: 'subagent' as const,
        agentId: response.agentId ?? child,
      }));
}

/** The real path of a file in one of the agent's folders; undefined of any other. */
function allowed(path: string, roots: readonly string[], home: string): string | undefined {
  try {
    const real = realpathSync(path);
    return roots.some((root) => real.startsWith(realpathSync(join(home, root)) + sep)) ? real : undefined;
  } catch {
    return undefined;
  }
}

/** Lines that contain one of the marks: most of a transcript is of no interest and never becomes text. */
function linesWith(bytes: Buffer, marks: readonly string[]): string[] {
  const lines: string[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from);
    const line = bytes.subarray(from, end === -1 ? bytes.length : end);
    if (marks.some((mark) => line.includes(mark))) lines.push(line.toString('utf8'));
    if (end === -1) break;
    from = end + 1;
  }
  return lines;
}
