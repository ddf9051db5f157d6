/**
 * The plugin that OpenCode loads: it hands each event to the shell line of the other agents' hooks, whose event name is
 * the placeholder `EVENT`, and waits for none of them.
 */
export function pluginSource(line: string): string {
  return `// Written by "candela coding install"; taken away by "candela coding uninstall".
import { spawn } from 'node:child_process';
const LINE = ${JSON.stringify(line)};
const send = (event, payload) => {
  try {
    const child = spawn('/bin/sh', ['-c', LINE.replaceAll('EVENT', event)], { stdio: ['pipe', 'ignore', 'ignore'] });
    child.on('error', () => {});
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(payload));
  } catch {}
};
const sent = new Set();
export const Candela = async ({ directory }) => ({
  event: async ({ event }) => {
    const p = event.properties ?? {};
    if (event.type === 'session.created') send('session.created', { sessionID: p.info?.id, cwd: directory });
    if (event.type === 'session.idle') send('session.idle', { sessionID: p.sessionID, cwd: directory });
    if (event.type === 'session.compacted') send('session.compacted', { sessionID: p.sessionID, cwd: directory });
    const m = p.info;
    if (event.type === 'message.updated' && m?.role === 'assistant' && m.time?.completed && !sent.has(m.id)) {
      sent.add(m.id);
      const { id, sessionID, modelID, providerID, tokens, time, finish } = m;
      send('message.completed', { id, sessionID, modelID, providerID, tokens, time, finish, cwd: directory });
    }
  },
  'chat.message': async ({ sessionID }, { parts }) => {
    const text = (parts ?? []).filter((x) => x.type === 'text').map((x) => x.text).join('\\n');
    send('chat.message', { sessionID, text, cwd: directory });
  },
  'tool.execute.before': async ({ tool, sessionID, callID }, { args }) => {
    send('tool.execute.before', { tool, sessionID, callID, args, cwd: directory });
  },
  'tool.execute.after': async ({ tool, sessionID, callID, args }, { output, metadata }) => {
    send('tool.execute.after', { tool, sessionID, callID, args, output, metadata, cwd: directory });
  },
});
`;
}
