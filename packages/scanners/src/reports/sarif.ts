import type { ScanResult } from '../engine.ts';
import type { Severity } from '../types.ts';

const LEVELS: Readonly<Record<Severity, string>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
};
/** GitHub's scale of `security-severity`. */
const SCORES: Readonly<Record<Severity, string>> = {
  critical: '9.5',
  high: '8.0',
  medium: '5.5',
  low: '3.0',
  info: '0.0',
};

/** SARIF 2.1.0 (OASIS). */
export function sarifOf({ findings }: Pick<ScanResult, 'findings'>, version: string): object {
  const rules = new Map(findings.map((one) => [one.ruleId, one]));
  const indexes = new Map([...rules.keys()].map((id, at) => [id, at]));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'candela',
            version,
            rules: [...rules].map(([id, { detector, title, explanation, fix, severity }]) => ({
              id,
              shortDescription: { text: title },
              fullDescription: { text: explanation },
              help: { text: fix },
              properties: { tags: [detector, 'security'], 'security-severity': SCORES[severity] },
            })),
          },
        },
        results: findings.map(({ ruleId, severity, title, path, line, fingerprint }) => ({
          ruleId,
          ruleIndex: indexes.get(ruleId),
          level: LEVELS[severity],
          message: { text: title },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: path.split('/').map(encodeURIComponent).join('/') },
                ...(line === null ? {} : { region: { startLine: line } }),
              },
            },
          ],
          partialFingerprints: { 'candela/v1': fingerprint },
        })),
      },
    ],
  };
}
