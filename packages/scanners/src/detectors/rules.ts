import { RE2JS } from 're2js';
import { isTest, isVendored, lineAt, lineCounter } from '../text.ts';
import type { Detector } from '../types.ts';

const MAX_HITS_PER_RULE = 200;

/** Rules of a bundle that the scan was given; without one it looks at nothing. */
export const rules: Detector = {
  id: 'rules',
  title: 'Rules of a bundle',
  create: (scan) => {
    const compiled = (scan.settings.rules ?? []).map((rule) => ({ rule, form: RE2JS.compile(rule.pattern) }));
    const wanting = (path: string) =>
      compiled.filter(
        ({ rule: { files } }) => files.length === 0 || files.some((ending) => path.endsWith(ending)),
      );
    return {
      wants: (path) => compiled.length > 0 && !isVendored(path) && wanting(path).length > 0,
      async file(file) {
        const text = await file.text();
        if (text === undefined) return;
        const lineOf = lineCounter(text);
        for (const { rule, form } of wanting(file.path)) {
          const matcher = form.matcher(text);
          for (let hits = 0; hits < MAX_HITS_PER_RULE && matcher.find(); hits += 1) {
            const { id, title, explanation, fix, severity } = rule;
            scan.report({
              ruleId: `rules/${id}`,
              severity: isTest(file.path) && severity !== 'info' ? 'low' : severity,
              path: file.path,
              line: lineOf(matcher.start()),
              title,
              explanation,
              fix,
              snippet: lineAt(text, matcher.start()),
            });
          }
        }
      },
    };
  },
};
