import { createHash } from 'node:crypto';
import { DETECTORS } from './detectors/index.ts';
import type {
  Component,
  Coverage,
  Finding,
  FindingDraft,
  Scan,
  ScanFile,
  ScanSettings,
  VulnerabilityData,
} from './types.ts';
import { SEVERITIES } from './types.ts';

/** A tree of files: a folder, a clone, an archive. */
export interface Source {
  /** In any order; notes in `coverage` what it leaves out. @throws ScanError a bound of the whole tree is reached */
  files(coverage: Coverage): AsyncIterable<ScanFile>;
}

/** The tree cannot be scanned; the sentence says why and what to do. */
export class ScanError extends Error {
  override readonly name = 'ScanError';
}

export interface ScanResult {
  /** Worst first, then by path and line. */
  readonly findings: readonly Finding[];
  readonly components: readonly Component[];
  readonly coverage: Coverage;
  readonly vulnerabilityData: VulnerabilityData;
  readonly detectors: readonly string[];
}

const MAX_FINDINGS = 10_000;
const NO_DETECTORS = (unknown: readonly string[]): ScanError =>
  new ScanError(
    `There is no detector ${unknown.map((one) => `"${one}"`).join(', ')}. There are: ${DETECTORS.map(({ id }) => id).join(', ')}.`,
  );

/** Detectors by comma-separated ids; all when it is empty. @throws ScanError an id is unknown */
export function chooseDetectors(ids: string | undefined): readonly string[] {
  const wanted = (ids ?? '')
    .split(',')
    .map((id) => id.trim())
    .filter(Boolean);
  const unknown = wanted.filter((id) => !DETECTORS.some((one) => one.id === id));
  if (unknown.length > 0) throw NO_DETECTORS(unknown);
  return wanted.length === 0 ? DETECTORS.map(({ id }) => id) : wanted;
}

/** Runs detectors over a source. @throws ScanError, or the reason of the signal */
export async function scan(
  source: Source,
  settings: ScanSettings,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ScanResult> {
  const coverage: Coverage = { filesSeen: 0, filesRead: 0, skipped: new Map(), notes: [] };
  const drafts: { readonly detector: string; readonly draft: FindingDraft }[] = [];
  const components: Component[] = [];
  const imports: Scan['imports'] = new Map();
  const running = DETECTORS.filter(({ id }) => ids.includes(id)).map(({ id, create }) => {
    const report = (draft: FindingDraft): void => {
      if (drafts.length < MAX_FINDINGS) drafts.push({ detector: id, draft });
      else if (drafts.length === MAX_FINDINGS) {
        drafts.push({ detector: id, draft });
        coverage.notes.push(`More than ${MAX_FINDINGS} findings: the rest is not listed.`);
      }
    };
    return create({ settings, coverage, components, imports, report });
  });
  for await (const file of source.files(coverage)) {
    signal.throwIfAborted();
    coverage.filesSeen += 1;
    const wanting = running.filter((one) => one.file !== undefined && one.wants(file.path));
    if (wanting.length === 0) continue;
    coverage.filesRead += 1;
    for (const one of wanting) await one.file?.(file);
  }
  for (const one of running) one.end?.();
  return {
    findings: fingerprinted(drafts.slice(0, MAX_FINDINGS)),
    components,
    coverage,
    vulnerabilityData: settings.vulnerabilities?.data ?? { state: 'none' },
    detectors: ids,
  };
}

/** Judges packages alone, with the detectors that need data of this machine. */
export function scanComponents(
  components: Component[],
  settings: ScanSettings,
  ids: readonly string[],
): readonly Finding[] {
  const drafts: { readonly detector: string; readonly draft: FindingDraft }[] = [];
  const coverage: Coverage = { filesSeen: 0, filesRead: 0, skipped: new Map(), notes: [] };
  for (const { id, create } of DETECTORS.filter((one) => ids.includes(one.id))) {
    create({
      settings,
      coverage,
      components,
      imports: new Map(),
      report: (draft) => drafts.push({ detector: id, draft }),
    }).end?.();
  }
  return fingerprinted(drafts.slice(0, MAX_FINDINGS));
}

/** Orders findings and gives each its fingerprint: the same defect keeps it when lines above it change. */
export function fingerprinted(
  drafts: readonly { readonly detector: string; readonly draft: FindingDraft }[],
): Finding[] {
  const counts = new Map<string, number>();
  const findings = drafts.map(({ detector, draft }): Finding => {
    const snippet = draft.snippet ?? '';
    const key = JSON.stringify([detector, draft.ruleId, draft.path, snippet.replaceAll(/\s+/g, ' ')]);
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    const fingerprint = createHash('sha256').update(`${key} ${nth}`).digest('hex');
    return { ...draft, snippet, confidence: draft.confidence ?? 'high', detector, fingerprint };
  });
  const rank = ({ severity }: Finding): number => SEVERITIES.indexOf(severity);
  return findings.toSorted(
    (a, b) =>
      rank(a) - rank(b) || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) || (a.line ?? 0) - (b.line ?? 0),
  );
}
