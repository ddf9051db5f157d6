import { hasPrice } from '../model-names.ts';
import { isCode, isVendored, extension, lineAt, lineCounter, withoutComments } from '../text.ts';
import type { Detector } from '../types.ts';

/**
 * Models with the day on which their vendor stops or stopped serving them: deprecation pages of OpenAI (as of 2026-05), Google (as of
 * 2026-11) and Anthropic (as of 2026-01).
 */
const RETIRED: ReadonlyMap<string, { readonly on: string; readonly instead: string }> = new Map([
  ['text-davinci-003', { on: '2024-01-04', instead: 'gpt-4o-mini' }],
  ['text-davinci-002', { on: '2024-01-04', instead: 'gpt-4o-mini' }],
  ['code-davinci-002', { on: '2024-01-04', instead: 'gpt-4o-mini' }],
  ['text-embedding-ada-001', { on: '2024-01-04', instead: 'text-embedding-3-small' }],
  ['gpt-3.5-turbo-0301', { on: '2024-09-13', instead: 'gpt-4o-mini' }],
  ['gpt-3.5-turbo-0613', { on: '2024-09-13', instead: 'gpt-4o-mini' }],
  ['gpt-3.5-turbo-16k-0613', { on: '2024-09-13', instead: 'gpt-4o-mini' }],
  ['gpt-4-0314', { on: '2024-06-13', instead: 'gpt-4o' }],
  ['gpt-4-32k', { on: '2025-06-06', instead: 'gpt-4o' }],
  ['gpt-4-32k-0613', { on: '2025-06-06', instead: 'gpt-4o' }],
  ['gpt-4-vision-preview', { on: '2024-12-06', instead: 'gpt-4o' }],
  ['gpt-4.5-preview', { on: '2025-07-14', instead: 'gpt-4.1' }],
  ['o1-preview', { on: '2025-07-28', instead: 'o3' }],
  ['o1-mini', { on: '2025-10-27', instead: 'o4-mini' }],
  ['claude-instant-1.2', { on: '2024-11-06', instead: 'claude-haiku-4-5' }],
  ['claude-1.3', { on: '2024-11-06', instead: 'claude-haiku-4-5' }],
  ['claude-2.0', { on: '2025-07-21', instead: 'claude-sonnet-4-5' }],
  ['claude-2.1', { on: '2025-07-21', instead: 'claude-sonnet-4-5' }],
  ['claude-3-sonnet-20240229', { on: '2025-07-21', instead: 'claude-sonnet-4-5' }],
  ['claude-3-5-sonnet-20240620', { on: '2025-10-28', instead: 'claude-sonnet-4-5' }],
  ['claude-3-5-sonnet-20241022', { on: '2025-10-28', instead: 'claude-sonnet-4-5' }],
  ['claude-3-opus-20240229', { on: '2026-01-05', instead: 'claude-opus-4-1' }],
  ['gemini-1.0-pro', { on: '2025-02-15', instead: 'gemini-3.5-flash' }],
  ['gemini-1.5-pro', { on: '2025-09-24', instead: 'gemini-3.8-flash' }],
  ['gemini-1.5-flash', { on: '2025-09-24', instead: 'gemini-3.5-flash' }],
  ['gpt-3.5-turbo', { on: '2026-10-23', instead: 'gpt-4.1-mini' }],
  ['gpt-3.5-turbo-0125', { on: '2026-10-23', instead: 'gpt-4.1-mini' }],
  ['gpt-4', { on: '2026-10-23', instead: 'gpt-4.1' }],
  ['gpt-4-0613', { on: '2026-10-23', instead: 'gpt-4.1' }],
  ['chatgpt-4o-latest', { on: '2026-02-17', instead: 'gpt-5.1-chat-latest' }],
  ['codex-mini-latest', { on: '2026-01-16', instead: 'gpt-5-codex-mini' }],
  ['gpt-5-codex', { on: '2026-07-23', instead: 'gpt-5.4' }],
  ['gpt-5.1-codex', { on: '2026-07-23', instead: 'gpt-5.4' }],
  ['gpt-5.2-codex', { on: '2026-07-23', instead: 'gpt-5.4' }],
  ['gpt-4o-search-preview-2025-03-11', { on: '2026-07-23', instead: 'gpt-4.1-mini' }],
  ['gemini-2.5-pro', { on: '2026-12-01', instead: 'gemini-3.8-flash' }],
  ['gemini-2.5-flash', { on: '2026-12-01', instead: 'gemini-3.5-flash-lite' }],
  ['gemini-3-pro-preview', { on: '2026-03-09', instead: 'gemini-3.1-pro-preview' }],
]);

const NAME =
  /(?<=["'`])((?:gpt|o[1345]|claude|gemini|mistral|command|text-(?:davinci|embedding)|code-davinci|palm)[a-z0-9.:-]{0,60})(?=["'`])/g;
const CONFIG = new Set(['json', 'yaml', 'yml', 'toml', 'env', 'cfg', 'ini']);

/** Model names in code and configuration: retired ones, and those without a price. */
export const models: Detector = {
  id: 'models',
  title: 'Retired and unpriced models',
  create: (scan) => ({
    wants: (path) =>
      !isVendored(path) &&
      (isCode(path) || CONFIG.has(extension(path))) &&
      !/lock|openapi|prices|swagger/i.test(path),
    async file(file) {
      const source = await file.text();
      if (source === undefined) return;
      const text = isCode(file.path) ? withoutComments(file.path, source) : source;
      const lineOf = lineCounter(text);
      const seen = new Set<string>();
      for (const match of text.matchAll(NAME)) {
        const name = match[1] ?? '';
        if (seen.has(name) || !/[-\d]/.test(name)) continue;
        seen.add(name);
        const at = { path: file.path, line: lineOf(match.index), snippet: lineAt(source, match.index) };
        const retired = RETIRED.get(name);
        if (retired !== undefined) {
          const over = retired.on <= scan.settings.today;
          scan.report({
            ...at,
            ruleId: 'model-retired',
            severity: over ? 'high' : 'medium',
            title: over ? `${name} is not served any more` : `${name} will not be served after ${retired.on}`,
            explanation: `Its vendor ${over ? 'retired it' : 'retires it'} on ${retired.on}: calls ${over ? 'fail' : 'will fail'}.`,
            fix: `Move to ${retired.instead} or a newer model, and keep the name in configuration.`,
          });
        } else if (/\d/.test(name) && !/[*:]/.test(name) && !hasPrice(name)) {
          scan.report({
            ...at,
            ruleId: 'model-unpriced',
            severity: 'low',
            confidence: 'medium',
            title: `No price is known for ${name}`,
            explanation: 'Cost, budgets and caps leave its calls out.',
            fix: 'Check the spelling, or add its price under Settings > Models & prices.',
          });
        }
      }
    },
  }),
};
