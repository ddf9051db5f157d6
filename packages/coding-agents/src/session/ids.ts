import { createHash } from 'node:crypto';

/** Ids follow from what they name: what is sent twice has the same. */
export function traceIdOf(agent: string, sessionId: string): string {
  return digest('trace', agent, sessionId).slice(0, 32);
}
export function spanIdOf(agent: string, sessionId: string, kind: string, key: string): string {
  return digest('span', agent, sessionId, kind, key).slice(0, 16);
}
/** A name for files: session ids are an agent's text. */
export function fileKeyOf(agent: string, sessionId: string): string {
  return digest('file', agent, sessionId).slice(0, 40);
}
export function digest(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
