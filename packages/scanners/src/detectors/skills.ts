import { parse as parseYaml } from 'yaml';
import { lineAt, lineCounter } from '../text.ts';
import type { Detector, FindingDraft } from '../types.ts';

const SKILL = /(^|\/)SKILL\.md$/;
const AGENT = /(^|\/)\.(claude|opencode|cursor|gemini)\/(agents?|commands)\/[^/]+\.md$/;
const READ_ONLY = /\b(?:read[- ]only|review|analy[sz]e|explain|search|inspect|summari[sz]e|audit)\b/i;
const WRITES = /\b(?:write|edit|fix|create|run|execute|build|deploy|commit|install|refactor|test)\b/i;

const words = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.map(String)
    : typeof value === 'string'
      ? value
          .split(/,(?![^(]*\))|\s(?![^(]*\))/)
          .map((word) => word.trim())
          .filter(Boolean)
      : [];

/** Skills and sub-agents: what they are granted against what they say they do. */
export const skills: Detector = {
  id: 'skills',
  title: 'Skills and sub-agents',
  create: (scan) => ({
    wants: (path) => SKILL.test(path) || AGENT.test(path),
    async file(file) {
      const text = await file.text();
      if (text === undefined) return;
      const lineOf = lineCounter(text);
      const at = (word: string) => {
        const offset = Math.max(0, text.indexOf(word));
        return { path: file.path, line: lineOf(offset), snippet: lineAt(text, offset) };
      };
      const report = (word: string, draft: Omit<FindingDraft, 'path' | 'line' | 'snippet'>) =>
        scan.report({ ...draft, ...at(word) });
      const front = /^---\r?\n([\s\S]{0,20000}?)\r?\n---/.exec(text);
      let meta: Readonly<Record<string, unknown>> = {};
      try {
        const parsed: unknown = front === null ? {} : parseYaml(front[1] ?? '', { maxAliasCount: 20 });
        if (typeof parsed === 'object' && parsed !== null) meta = parsed as Readonly<Record<string, unknown>>;
      } catch {
        scan.coverage.notes.push(`The header of ${file.path} is no valid YAML and was not audited.`);
      }
      const description = String(meta['description'] ?? '');
      const granted = words(meta['allowed-tools'] ?? meta['tools'] ?? meta['allowedTools']);
      const body = text.slice(front?.[0].length ?? 0);
      if (front === null || description.trim().length < 10) {
        report('---', {
          ruleId: 'skill-undescribed',
          severity: 'low',
          title: 'A skill or sub-agent without a useful description',
          explanation: 'The model decides by the description when to use it.',
          fix: 'Say what it does and when to use it.',
        });
      }
      const shell = granted.some((tool) => /^Bash(\(\*|$)|^\*$|^shell$/i.test(tool));
      if (shell && SKILL.test(file.path)) {
        report('allowed-tools', {
          ruleId: 'skill-auto-shell',
          severity: 'high',
          title: 'A skill may run any shell command without asking',
          explanation: 'allowed-tools are approved in advance: text that the skill reads can use them.',
          fix: 'Grant single commands: Bash(git diff:*).',
        });
      }
      const writing = granted.some((tool) => /^(Bash|Write|Edit|MultiEdit|NotebookEdit|\*)/.test(tool));
      if (AGENT.test(file.path) && writing && READ_ONLY.test(description) && !WRITES.test(description)) {
        report('tools', {
          ruleId: 'subagent-overgranted',
          severity: 'medium',
          title: 'A sub-agent that only reads may write or run commands',
          explanation: 'What it reads can lead it to use what it was granted.',
          fix: 'Grant Read, Grep and Glob only.',
        });
      }
      const dynamic = /!`([^`\n]{1,500})`/.exec(body);
      if (dynamic !== null && /\b(?:curl|wget|nc|ssh|scp)\b/.test(dynamic[1] ?? '')) {
        report(dynamic[0], {
          ruleId: 'skill-dynamic-egress',
          severity: 'critical',
          title: 'A skill sends data away while it is loaded',
          explanation: 'Commands in !`...` run before the model sees the text, without asking.',
          fix: 'Remove the command.',
        });
      }
      const secretRead =
        /(?:cat|read|open|upload|send)[^\n]{0,80}(?:~\/\.ssh|\.aws\/credentials|\.env\b|id_rsa|\.netrc|keychain)/i.exec(
          body,
        );
      if (secretRead !== null) {
        report(secretRead[0], {
          ruleId: 'skill-reads-secrets',
          severity: 'high',
          title: 'A skill makes the agent read credentials',
          explanation: 'They land in the conversation, which is sent to the vendor and logged.',
          fix: 'Let a tool use the credential without showing it.',
        });
      }
    },
  }),
};
