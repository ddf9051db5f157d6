import type { ScannerView } from '@candela/contract';
import { DETECTORS } from './detectors.ts';

/** What is typed into the form of a scanner. */
export interface ScannerDraft {
  readonly name: string;
  readonly target: string;
  readonly ref: string;
  readonly token: string;
  readonly forgetToken: boolean;
  /** Hours between scans; empty: only when asked for. */
  readonly hours: string;
  readonly detectors: readonly string[];
  readonly strict: boolean;
  readonly allow: string;
  readonly deny: string;
  readonly rulesRepo: string;
  readonly rulesRef: string;
  readonly requireSigned: boolean;
  readonly noRulesUpdate: boolean;
}

/** Flags that switch one detector off: the form has a box for each detector instead. */
const SWITCHES = { secretScan: 'secrets', vulnScan: 'vulnerabilities', licenseScan: 'licenses' } as const;

const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** The form of a scanner, or of a new one. */
export function scannerDraft(scanner: ScannerView | undefined): ScannerDraft {
  const { flags = {}, licencePolicy = { allow: [], deny: [] } } = scanner ?? {};
  const off = Object.entries(SWITCHES).flatMap(([flag, detector]) =>
    flags[flag as keyof typeof SWITCHES] === false ? [detector] : [],
  ) as string[];
  const asked = wordsOf(scanner?.detectors ?? '');
  return {
    name: scanner?.name ?? '',
    target: scanner?.target ?? '',
    ref: scanner?.ref ?? '',
    token: '',
    forgetToken: false,
    hours: scanner?.scheduleHours?.toString() ?? '',
    detectors: DETECTORS.filter((one) => (asked.length === 0 || asked.includes(one)) && !off.includes(one)),
    strict: flags.strict ?? false,
    allow: licencePolicy.allow.join(', '),
    deny: licencePolicy.deny.join(', '),
    rulesRepo: flags.rulesRepo ?? '',
    rulesRef: flags.rulesRef ?? '',
    requireSigned: flags.requireSigned ?? false,
    noRulesUpdate: flags.noRulesUpdate ?? false,
  };
}

/** What is sent for a form. Without `token` the one that is kept stays. */
export function scannerBody(draft: ScannerDraft, scanner: ScannerView | undefined) {
  const token = draft.forgetToken ? null : draft.token.trim() || undefined;
  const rulesRepo = draft.rulesRepo.trim();
  const rulesRef = draft.rulesRef.trim();
  return {
    name: draft.name.trim(),
    target: draft.target.trim(),
    ref: draft.ref.trim() || null,
    detectors: draft.detectors.length === DETECTORS.length ? '' : draft.detectors.join(','),
    flags: {
      ...(scanner?.flags.verbose === undefined ? {} : { verbose: scanner.flags.verbose }),
      ...(draft.strict ? { strict: true } : {}),
      ...(rulesRepo === ''
        ? {}
        : {
            rulesRepo,
            ...(rulesRef === '' ? {} : { rulesRef }),
            ...(draft.requireSigned ? { requireSigned: true } : {}),
            ...(draft.noRulesUpdate ? { noRulesUpdate: true } : {}),
          }),
    },
    licencePolicy: { allow: wordsOf(draft.allow), deny: wordsOf(draft.deny) },
    scheduleHours: draft.hours === '' ? null : Number(draft.hours),
    ...(token === undefined ? {} : { token }),
  };
}
