import { isCode, isTest, isVendored, lineAt, lineCounter, withoutComments } from './text.ts';
import type { Detector, FindingDraft, Scan, ScanFile } from './types.ts';

/** A defect that a pattern in code finds. */
export interface CodeRule
  extends Pick<FindingDraft, 'ruleId' | 'severity' | 'title' | 'explanation' | 'fix' | 'confidence'> {
  /** Global. Offsets are those of the match. */
  readonly form: RegExp;
  /** Which files; all code without one. */
  readonly where?: (path: string) => boolean;
  /** Looks closer: true reports. `text` has no comments. */
  readonly when?: (match: RegExpExecArray, text: string) => boolean;
}

const MAX_HITS_PER_RULE = 200;

/** Applies rules to one file of code. */
async function applyRules(scan: Scan, file: ScanFile, rules: readonly CodeRule[]): Promise<void> {
  const wanted = rules.filter(({ where = isCode }) => where(file.path));
  if (wanted.length === 0) return;
  const source = await file.text();
  if (source === undefined) return;
  const text = withoutComments(file.path, source);
  let lineOf: ((offset: number) => number) | undefined;
  for (const { form, when, where: _, ...rule } of wanted) {
    let hits = 0;
    for (const match of text.matchAll(form)) {
      if (when?.(match, text) === false) continue;
      lineOf ??= lineCounter(text);
      scan.report({
        ...rule,
        severity: isTest(file.path) && rule.severity !== 'info' ? 'low' : rule.severity,
        path: file.path,
        line: lineOf(match.index),
        snippet: lineAt(source, match.index),
      });
      hits += 1;
      if (hits >= MAX_HITS_PER_RULE) break;
    }
  }
}

/** A detector that consists of rules on code. */
export const rulesDetector = (
  id: string,
  title: string,
  rules: readonly CodeRule[],
  wants: (path: string) => boolean = isCode,
): Detector => ({
  id,
  title,
  create: (scan) => ({
    wants: (path) => wants(path) && !isVendored(path),
    file: (file) => applyRules(scan, file, rules),
  }),
});
