import parseSpdx from 'spdx-expression-parse';
import type { Detector } from '../types.ts';

interface Leaf {
  readonly license: string;
}
type Node = Leaf | { readonly left: Node; readonly conjunction: 'and' | 'or'; readonly right: Node };

/** Whether an SPDX expression can be met with licences that pass `ok`: one side of an OR, both of an AND. */
export function satisfies(expression: string, ok: (licence: string) => boolean): boolean | undefined {
  const judge = (node: Node): boolean =>
    'license' in node
      ? ok(node.license)
      : node.conjunction === 'or'
        ? judge(node.left) || judge(node.right)
        : judge(node.left) && judge(node.right);
  try {
    return judge(parseSpdx(expression) as Node);
  } catch {
    return undefined;
  }
}

const DEFAULT_DENY = [
  'AGPL-1.0-only',
  'AGPL-1.0-or-later',
  'AGPL-3.0-only',
  'AGPL-3.0-or-later',
  'AGPL-3.0',
  'SSPL-1.0',
  'BUSL-1.1',
  'CC-BY-NC-4.0',
  'CC-BY-NC-SA-4.0',
];

/** Licences of packages against the policy. Unknown is a finding where the lock file tells licences at all. */
export const licences: Detector = {
  id: 'licenses',
  title: 'Licences',
  create: (scan) => ({
    wants: () => false,
    end() {
      const { allow, deny } = scan.settings.licencePolicy;
      const denied = new Set(deny.length > 0 || allow.length > 0 ? deny : DEFAULT_DENY);
      const allowed = new Set(allow);
      const ok = (licence: string) => !denied.has(licence) && (allowed.size === 0 || allowed.has(licence));
      const toldIn = new Set(
        scan.components.filter(({ licence }) => licence !== undefined).map(({ path }) => path),
      );
      const silent = new Set<string>();
      for (const { name, version, licence, path } of scan.components) {
        const at = { path, line: null, snippet: `${name} ${version}: ${licence ?? 'no licence'}` };
        if (licence === undefined) {
          if (!toldIn.has(path)) silent.add(path);
          else {
            scan.report({
              ...at,
              ruleId: 'licence-unknown',
              severity: 'low',
              title: `${name} ${version} names no licence`,
              explanation: 'Without a licence nobody may use it.',
              fix: 'Ask its authors, or replace it.',
            });
          }
          continue;
        }
        const met = satisfies(licence, ok);
        if (met === true) continue;
        scan.report({
          ...at,
          ruleId: met === undefined ? 'licence-unknown' : 'licence-denied',
          severity: met === undefined ? 'low' : 'high',
          title:
            met === undefined
              ? `${name} ${version} has a licence that is no SPDX expression`
              : `${name} ${version} is under ${licence}`,
          explanation:
            met === undefined
              ? `"${licence.slice(0, 100)}" cannot be judged by the policy.`
              : 'The licence policy does not allow it.',
          fix:
            met === undefined
              ? 'Look it up and add an exception.'
              : 'Replace the package, or change the policy with those who answer for it.',
        });
      }
      if (silent.size > 0)
        scan.coverage.notes.push(`These lock files tell no licences: ${[...silent].slice(0, 5).join(', ')}.`);
    },
  }),
};
