import { parse as parseToml } from 'smol-toml';
import { baseName, extension, lineAt, lineCounter } from '../text.ts';
import type { Detector, FindingDraft } from '../types.ts';

/** Files in which clients name their MCP servers. */
const FILES =
  /(^|\/)(\.?mcp\.json|\.cursor\/mcp\.json|\.vscode\/mcp\.json|claude_desktop_config\.json|opencode\.jsonc?|\.codex\/config\.toml|\.gemini\/settings\.json|\.claude\/settings(\.local)?\.json|mcp_config\.json|cline_mcp_settings\.json)$/;

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** JSON with comments and trailing commas, as editors write it. */
export function parseJsonc(text: string): unknown {
  const plain = text
    .replaceAll(
      /("(?:\\.|[^"\\\n])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
      (all, string: string | undefined) => string ?? '',
    )
    .replaceAll(/("(?:\\.|[^"\\\n])*")|,(?=\s*[}\]])/g, (all, string: string | undefined) => string ?? '');
  return JSON.parse(plain);
}

const SHELLS = /^(?:\/\S*\/)?(?:ba|z|da|fi)?sh(?:\.exe)?$|^cmd(?:\.exe)?$|^powershell|^pwsh/;
const SECRET_NAME = /key|token|secret|password|authorization|credential/i;

/** MCP servers in configuration: what is started, from where, with which rights. */
export const mcp: Detector = {
  id: 'mcp',
  title: 'MCP configuration',
  create: (scan) => ({
    wants: (path) => FILES.test(path),
    async file(file) {
      const text = await file.text();
      if (text === undefined) return;
      const lineOf = lineCounter(text);
      const place = (word: string) => {
        const at = Math.max(
          0,
          text.indexOf(`"${word}"`) >= 0 ? text.indexOf(`"${word}"`) : text.indexOf(word),
        );
        return { path: file.path, line: lineOf(at), snippet: lineAt(text, at) };
      };
      let config: unknown;
      try {
        config = extension(file.path) === 'toml' ? parseToml(text) : parseJsonc(text);
      } catch {
        scan.coverage.notes.push(
          `${file.path} is no valid ${extension(file.path).toUpperCase()} and was not audited.`,
        );
        return;
      }
      if (!isObject(config)) return;
      const servers = [config['mcpServers'], config['servers'], config['mcp_servers'], config['mcp']].filter(
        isObject,
      );
      for (const [name, server] of servers.flatMap((group) => Object.entries(group))) {
        if (!isObject(server)) continue;
        const report = (draft: Omit<FindingDraft, 'path' | 'line' | 'snippet'>) =>
          scan.report({ ...draft, ...place(name) });
        const words = Array.isArray(server['command'])
          ? strings(server['command'])
          : [String(server['command'] ?? ''), ...strings(server['args'])];
        const [command = '', ...args] = words;
        const runner = baseName(command);
        if (/^(npx|bunx|uvx|pipx|pnpm|yarn)$/.test(runner)) {
          const pack = args.find((arg) => !arg.startsWith('-') && !['run', 'exec', 'dlx'].includes(arg));
          if (
            pack !== undefined &&
            !/(?:@|==)\d/.test(pack.slice(1)) &&
            !pack.startsWith('.') &&
            !pack.startsWith('/')
          ) {
            report({
              ruleId: 'mcp-unpinned',
              severity: 'high',
              title: `The MCP server "${name}" runs whatever version of ${pack} is newest`,
              explanation: 'A taken-over package runs here at the next start, with the rights of the person.',
              fix: `Pin the version: ${pack}@<version>.`,
            });
          }
        }
        const url = String(server['url'] ?? server['serverUrl'] ?? server['httpUrl'] ?? '');
        if (/^http:\/\/(?!localhost|127\.|\[::1\])/i.test(url)) {
          report({
            ruleId: 'mcp-plain-http',
            severity: 'high',
            title: `The MCP server "${name}" is asked without TLS`,
            explanation:
              'Whoever sits between reads what is sent and can change the answers, which the model obeys.',
            fix: 'Use https.',
          });
        }
        const given = {
          ...(isObject(server['env']) ? server['env'] : {}),
          ...(isObject(server['headers']) ? server['headers'] : {}),
        };
        for (const [key, value] of Object.entries(given)) {
          if (
            SECRET_NAME.test(key) &&
            typeof value === 'string' &&
            value.length >= 8 &&
            !/\$\{|\$[A-Z_]|\{env:|<|your|xxx/i.test(value)
          ) {
            report({
              ruleId: 'mcp-inline-secret',
              severity: 'critical',
              title: `The MCP server "${name}" has a secret in its configuration (${key})`,
              explanation: 'The file is shared with the repository, and the secret with it.',
              fix: 'Take it from the environment: ${VARIABLE}.',
            });
          }
        }
        if (SHELLS.test(runner) && args.some((arg) => /^-\w*c$|^\/c$/i.test(arg))) {
          const line = args.join(' ');
          report({
            ruleId: 'mcp-shell',
            severity: /curl|wget|base64|\beval\b/.test(line) ? 'critical' : 'high',
            title: `The MCP server "${name}" is a shell command`,
            explanation: 'A shell line can do more than start a server, and is hard to review.',
            fix: 'Start the program directly, with its arguments as a list.',
          });
        }
        if (
          args.some((arg) => /^(\/|~|\$HOME|\$\{HOME\}|[A-Z]:\\?)$/.test(arg)) &&
          /file|fs/i.test(words.join(' '))
        ) {
          report({
            ruleId: 'mcp-root-access',
            severity: 'high',
            title: `The MCP server "${name}" may touch the whole disk`,
            explanation: 'The model can be led to read keys or to change settings anywhere.',
            fix: 'Name the folder of the project.',
          });
        }
        const approved = server['alwaysAllow'] ?? server['autoApprove'] ?? server['trust'];
        if (approved === true || strings(approved).some((one) => one === '*')) {
          report({
            ruleId: 'mcp-auto-approve',
            severity: 'high',
            title: `All tools of the MCP server "${name}" run without asking`,
            explanation: 'Text that the model read can make it call them.',
            fix: 'Approve single tools that only read.',
          });
        }
        if (/docker/.test(runner) && /--privileged|\/var\/run\/docker\.sock|-v\s+\/:/.test(args.join(' '))) {
          report({
            ruleId: 'mcp-privileged',
            severity: 'critical',
            title: `The MCP server "${name}" runs in a container that owns the machine`,
            explanation: 'A privileged container or the socket of Docker is the same as root.',
            fix: 'Drop --privileged and the socket; mount the folder that is needed.',
          });
        }
      }
      if (config['enableAllProjectMcpServers'] === true) {
        scan.report({
          ...place('enableAllProjectMcpServers'),
          ruleId: 'mcp-all-enabled',
          severity: 'high',
          title: 'Every MCP server of the project starts without asking',
          explanation: 'Whoever can change the repository starts programs on the machines of its readers.',
          fix: 'Enable servers by name.',
        });
      }
    },
  }),
};
