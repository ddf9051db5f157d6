import { createHash } from 'node:crypto';
import { findSecrets } from '@candela/redaction';
import { baseName, isTest, isVendored, lineCounter } from '../text.ts';
import type { Detector } from '../types.ts';

/** Files of hashes and generated text, where random words are no secrets. */
const NOT_LOOKED_AT =
  /(^|\/)(package-lock\.json|pnpm-lock\.yaml|yarn\.lock|poetry\.lock|uv\.lock|Cargo\.lock|go\.sum|composer\.lock|Gemfile\.lock)$|\.(svg|map|min\.js|min\.css|snap|ipynb_checkpoints)$/;
/** Keys of a vendor's test mode are keys; what follows may still say that it is none. */
const TEST_MODE = /^[A-Za-z]{2,10}_test[_-]/i;
/** What people write where a secret would stand. */
const PLACEHOLDER =
  /example|sample|dummy|fake|test|changeme|change_me|placeholder|your[_-]|xxxx|\*{3}|<[^>]+>|\.\.\.|0{8}|1234567|abcdef|redacted|insert|foobar|process\.env|os\.environ|getenv|\$\{|\{\{/i;
const MAX_PER_FILE = 50;

/** Credentials that stand in files. A value is never kept: its first four characters, its length and a hash are. */
export const secrets: Detector = {
  id: 'secrets',
  title: 'Secrets in files',
  create: (scan) => ({
    wants: (path) => !NOT_LOOKED_AT.test(path) && !isVendored(path),
    async file(file) {
      const text = await file.text();
      if (text === undefined) return;
      const found = findSecrets(text, 2).slice(0, MAX_PER_FILE);
      if (found.length === 0) return;
      const lineOf = lineCounter(text);
      for (const { kind, at, value } of found) {
        const known = kind !== 'assignment' && kind !== 'random';
        if (PLACEHOLDER.test(value.replace(TEST_MODE, '')) || (!known && new Set(value).size < 8)) continue;
        const hash = createHash('sha256').update(`candela-secret:${value}`).digest('hex').slice(0, 16);
        scan.report({
          ruleId: `secret-${kind}`,
          severity: isTest(file.path) ? 'medium' : known ? 'critical' : 'high',
          confidence: known ? 'high' : 'medium',
          path: file.path,
          line: lineOf(at),
          title: `A secret (${kind.replaceAll('-', ' ')}) stands in ${baseName(file.path)}`,
          explanation:
            'Everybody who can read the repository, or a copy of it, can use it. Removing the line leaves it in the history.',
          fix: 'Revoke it at its issuer, make a new one, and keep that in a vault or in the environment.',
          snippet: `${value.slice(0, 4)}… (${value.length} characters, ${hash})`,
        });
      }
    },
  }),
};
