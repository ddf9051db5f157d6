import { baseName, extension, lineAt, lineCounter } from '../text.ts';
import type { Detector, FindingDraft } from '../types.ts';
import { parseJsonc } from './mcp.ts';

const INSTRUCTIONS =
  /(^|\/)(AGENTS|CLAUDE|GEMINI|COPILOT|SKILL)(\.local)?\.md$|(^|\/)\.cursorrules$|(^|\/)\.windsurfrules$|(^|\/)\.cursor\/rules\/|(^|\/)\.github\/copilot-instructions\.md$|(^|\/)\.(claude|codex|gemini|opencode)\/.*\.md$|(^|\/)\.clinerules/;
const SETTINGS = /(^|\/)\.(claude|gemini|cursor|copilot|windsurf)\/(settings(\.local)?|hooks)\.json$/;
const EDITOR = /(^|\/)\.vscode\/(tasks|settings)\.json$|(^|\/)(\.devcontainer\/)?devcontainer\.json$/;
const CODEX = /(^|\/)\.codex\/config\.toml$/;

/** Characters that a person does not see and a model reads: tags, bidirectional overrides, zero width. */
const HIDDEN =
  /[\u{E0000}-\u{E007F}\u202A-\u202E\u2066-\u2069\u200B\u200C\u2060\u2062-\u2064\uFEFF\u180E]+/gu;
const isVisible = (run: string): boolean => run === '\uFEFF' || run === '\u200C';
const RISKY =
  /curl[^\n|]*\|\s*(?:ba|z)?sh|wget[^\n|]*\|\s*(?:ba|z)?sh|base64\s+(?:-d|--decode)|\bnc\s+-|\/dev\/tcp\/|\beval\b/;

/** Settings and instructions that coding agents read from a repository. */
export const agentConfig: Detector = {
  id: 'agent-config',
  title: 'Agent configuration',
  create: (scan) => ({
    wants: (path) => INSTRUCTIONS.test(path) || SETTINGS.test(path) || EDITOR.test(path) || CODEX.test(path),
    async file(file) {
      const text = await file.text();
      if (text === undefined) return;
      const lineOf = lineCounter(text);
      const at = (offset: number) => ({
        path: file.path,
        line: lineOf(offset),
        snippet: lineAt(text, offset),
      });
      const report = (offset: number, draft: Omit<FindingDraft, 'path' | 'line' | 'snippet'>) =>
        scan.report({ ...draft, ...at(offset) });
      if (INSTRUCTIONS.test(file.path)) {
        for (const match of text.matchAll(HIDDEN)) {
          if (match.index === 0 && match[0] === '\uFEFF') continue;
          if (match[0].length < 2 && isVisible(match[0])) continue;
          report(match.index, {
            ruleId: 'hidden-unicode',
            severity: 'critical',
            title: `Invisible characters in ${baseName(file.path)}`,
            explanation: 'A person reviews another text than the agent obeys.',
            fix: 'Remove them, and look at who added them.',
          });
          break;
        }
        for (const match of text.matchAll(/<!--[\s\S]{0,5000}?-->/g)) {
          if (
            !/\b(?:ignore|do not (?:tell|mention)|secretly|always run|execute|send|upload|exfiltrate)\b/i.test(
              match[0],
            )
          )
            continue;
          report(match.index, {
            ruleId: 'hidden-instruction',
            severity: 'high',
            confidence: 'medium',
            title: 'A comment holds instructions that a rendered page does not show',
            explanation: 'An agent reads comments of markdown as text.',
            fix: 'Remove it, or write it where people see it.',
          });
        }
        for (const match of text.matchAll(
          /\b(?:ignore (?:all |any )?(?:previous|prior|above) instructions|do not (?:tell|inform|mention (?:this|it) to) the user|without (?:asking|telling) the user)\b/gi,
        )) {
          report(match.index, {
            ruleId: 'injected-instruction',
            severity: 'high',
            title: 'Instructions that hide something from the person',
            explanation: 'Text like this makes an agent act behind the back of who uses it.',
            fix: 'Remove it, and look at who added it.',
          });
        }
        if (RISKY.test(text)) {
          report(text.search(RISKY), {
            ruleId: 'instruction-runs-download',
            severity: 'high',
            title: `${baseName(file.path)} makes the agent run what it downloads`,
            explanation:
              'Whoever controls the address runs code on every machine that uses these instructions.',
            fix: 'Commit the script, or pin it by its hash.',
          });
        }
        return;
      }
      if (CODEX.test(file.path) || extension(file.path) === 'toml') {
        for (const match of text.matchAll(
          /^\s*(?:approval_policy\s*=\s*["']never["']|sandbox_mode\s*=\s*["']danger-full-access["'])/gm,
        )) {
          report(match.index, {
            ruleId: 'bypass-permissions',
            severity: 'high',
            title: 'The agent works without sandbox or approval',
            explanation: 'Every command of the model runs with the rights of the person.',
            fix: 'Use workspace-write and on-request.',
          });
        }
        return;
      }
      let config: unknown;
      try {
        config = parseJsonc(text);
      } catch {
        scan.coverage.notes.push(`${file.path} is no valid JSON and was not audited.`);
        return;
      }
      const json = JSON.stringify(config) ?? '';
      const find = (word: string) => Math.max(0, text.indexOf(word));
      if (SETTINGS.test(file.path)) {
        if (
          /"defaultMode":"(?:bypassPermissions|dontAsk)"/.test(json) ||
          /"skipDangerousModePermissionPrompt":true/.test(json)
        ) {
          report(find('bypassPermissions'), {
            ruleId: 'bypass-permissions',
            severity: 'high',
            title: 'The repository switches permissions of the agent off',
            explanation: 'Every tool call runs without asking, for everybody who opens the repository.',
            fix: 'Remove defaultMode from the shared settings.',
          });
        }
        if (
          /"allow":\[[^\]]*"(?:Bash|Bash\(\*(?::\*)?\)|Bash\((?:curl|wget|sh|bash|python|node|rm|sudo)\s?:?\*\))"/.test(
            json,
          )
        ) {
          report(find('"allow"'), {
            ruleId: 'broad-allow',
            severity: 'high',
            title: 'Any shell command is allowed without asking',
            explanation: 'Text that the model read can make it run anything.',
            fix: 'Allow single commands, such as Bash(npm test).',
          });
        }
        for (const match of json.matchAll(
          /"(SessionStart|Setup|InstructionsLoaded|CwdChanged|sessionStart)":\[/g,
        )) {
          report(find(match[1] ?? ''), {
            ruleId: 'hook-at-open',
            severity: RISKY.test(json) ? 'critical' : 'medium',
            title: `A hook of the repository runs as soon as an agent opens it (${match[1]})`,
            explanation: 'Whoever can change the repository runs commands on the machines of its readers.',
            fix: 'Keep hooks in the settings of the person, or review every change of them.',
          });
        }
        const proxied =
          /"(ANTHROPIC_BASE_URL|OPENAI_BASE_URL|HTTPS?_PROXY)":"(?!https?:\/\/(?:localhost|127\.))/.exec(
            json,
          );
        if (proxied !== null) {
          report(find(proxied[1] ?? ''), {
            ruleId: 'redirected-model',
            severity: 'critical',
            title: 'The repository sends model calls to another address',
            explanation: 'Keys and source code of everybody who opens it go there.',
            fix: 'Remove the variable from the shared settings.',
          });
        }
        return;
      }
      if (/"runOn":"folderOpen"/.test(json)) {
        report(find('folderOpen'), {
          ruleId: 'task-at-open',
          severity: 'high',
          title: 'A task runs when the folder is opened',
          explanation: 'Whoever can change the repository runs commands on the machines of its readers.',
          fix: 'Remove runOn.',
        });
      }
      if (/"chat\.tools\.(?:autoApprove|global\.autoApprove)":true/.test(json)) {
        report(find('autoApprove'), {
          ruleId: 'broad-allow',
          severity: 'high',
          title: 'The editor runs all tools of its agent without asking',
          explanation: 'Text that the model read can make it call them.',
          fix: 'Remove the setting.',
        });
      }
      const command = /"(initializeCommand)":/.exec(json);
      if (command !== null || (file.path.endsWith('devcontainer.json') && RISKY.test(json))) {
        report(find(command?.[1] ?? 'postCreateCommand'), {
          ruleId: 'devcontainer-host-command',
          severity: command === null ? 'high' : 'medium',
          title:
            command === null
              ? 'The dev container runs what it downloads'
              : 'A command of the dev container runs on the host',
          explanation: 'It runs outside the container, or is whatever the address serves today.',
          fix: 'Use postCreateCommand with a script of the repository.',
        });
      }
    },
  }),
};
