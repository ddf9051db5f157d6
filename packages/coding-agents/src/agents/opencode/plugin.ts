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
// A sub-agent has a session of its own, below the one that started it.
const parents = new Map();
const titles = new Map();
const of = (id) => {
  let top = id;
  for (let n = 0; n < 20 && parents.has(top); n++) top = parents.get(top);
  return top === id ? { sessionID: id } : { sessionID: top, agentID: id };
};
export const Candela = async ({ directory }) => ({
  event: async ({ event }) => {
    const p = event.properties ?? {};
    if (event.type === 'session.created') {
      const { id, parentID, title } = p.info ?? {};
      if (parentID) {
        parents.set(id, parentID);
        titles.set(id, title);
        send('subagent.created', { ...of(id), title, cwd: directory });
      } else send('session.created', { sessionID: id, cwd: directory });
    }
    if (event.type === 'session.idle') {
      send(parents.has(p.sessionID) ? 'subagent.idle' : 'session.idle', { ...of(p.sessionID), title: titles.get(p.sessionID), cwd: directory });
    }
    if (event.type === 'session.compacted') send('session.compacted', { ...of(p.sessionID), cwd: directory });
    const m = p.info;
    if (event.type === 'message.updated' && m?.role === 'assistant' && m.time?.completed && !sent.has(m.id)) {
      sent.add(m.id);
      const { id, sessionID, modelID, providerID, tokens, time, finish } = m;
      send('message.completed', { id, ...of(sessionID), modelID, providerID, tokens, time, finish, cwd: directory });
    }
  },
  'chat.message': async ({ sessionID }, { parts }) => {
    if (parents.has(sessionID)) return;
    const text = (parts ?? []).filter((x) => x.type === 'text').map((x) => x.text).join('\\n');
    send('chat.message', { sessionID, text, cwd: directory });
  },
  'tool.execute.before': async ({ tool, sessionID, callID }, { args }) => {
    send('tool.execute.before', { tool, ...of(sessionID), callID, args, cwd: directory });
  },
  'tool.execute.after': async ({ tool, sessionID, callID, args }, { output, metadata }) => {
    send('tool.execute.after', { tool, ...of(sessionID), callID, args, output, metadata, cwd: directory });
  },
});
`;
}
