import { fingerprinted, ScanError } from '../engine.ts';
import type { Finding, FindingDraft, Severity } from '../types.ts';

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const object = (value: unknown): Json => (isObject(value) ? value : {});
const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const text = (value: unknown, most: number): string =>
  (typeof value === 'string' ? value : '')
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .slice(0, most)
    .trim();
/** A message of SARIF, plain or Markdown. */
const message = (value: unknown, most: number): string =>
  text(object(value)['text'], most) || text(object(value)['markdown'], most);

const MAX_RESULTS = 10_000;
const LEVELS: ReadonlyMap<unknown, Severity> = new Map([
  ['error', 'high'],
  ['warning', 'medium'],
  ['note', 'low'],
  ['none', 'info'],
]);

/** GitHub's scale: `security-severity` of 0 to 10 goes before the level. */
function severityOf(result: Json, rule: Json): Severity {
  const score = Number(
    object(result['properties'])['security-severity'] ?? object(rule['properties'])['security-severity'],
  );
  if (Number.isFinite(score))
    return score >= 9 ? 'critical' : score >= 7 ? 'high' : score >= 4 ? 'medium' : score > 0 ? 'low' : 'info';
  const level = result['level'] ?? object(rule['defaultConfiguration'])['level'] ?? 'warning';
  return LEVELS.get(level) ?? 'medium';
}

/** A path of the repository, whatever the tool wrote before it. Never leads elsewhere: it is shown, not opened. */
function pathOf(location: Json): string {
  const uri = text(object(location['artifactLocation'])['uri'], 4_096);
  let path = uri.replace(/^file:\/\//, '');
  try {
    path = decodeURIComponent(path);
  } catch {
    // Not encoded: it stands as it is.
  }
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .join('/')
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, '');
}

/**
 * Reads findings of other tools from SARIF 2.1.0 (OASIS). The detector of each is `sarif-<tool>`; suppressed results are left out.
 * @throws ScanError it is no SARIF 2.1.0, with what is wrong
 */
export function readSarif(document: unknown): { detectors: readonly string[]; findings: readonly Finding[] } {
  const root = object(document);
  if (root['version'] !== '2.1.0' || !Array.isArray(root['runs']))
    throw new ScanError('This is no SARIF 2.1.0: it needs "version": "2.1.0" and "runs".');
  const drafts: { detector: string; draft: FindingDraft }[] = [];
  const detectors = new Set<string>();
  for (const run of objects(root['runs'])) {
    const driver = object(object(run['tool'])['driver']);
    const tool = text(driver['name'], 40)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '');
    const detector = `sarif-${tool || 'unnamed'}`;
    detectors.add(detector);
    const rules = objects(driver['rules']);
    const byId = new Map(rules.map((rule) => [rule['id'], rule]));
    for (const result of objects(run['results'])) {
      if (objects(result['suppressions']).length > 0) continue;
      if (drafts.length >= MAX_RESULTS)
        throw new ScanError(`There are more than ${MAX_RESULTS} results. Split the file by tool or folder.`);
      const index = result['ruleIndex'];
      const rule = byId.get(result['ruleId']) ?? (typeof index === 'number' ? rules[index] : undefined) ?? {};
      const place = object(object(objects(result['locations'])[0])['physicalLocation']);
      const region = object(place['region']);
      const line = region['startLine'];
      const ruleId = text(result['ruleId'], 200) || text(rule['id'], 200) || 'unnamed';
      const title =
        message(result['message'], 300) || message(rule['shortDescription'], 300) || `Result of ${ruleId}`;
      drafts.push({
        detector,
        draft: {
          ruleId,
          severity: severityOf(result, rule),
          path: pathOf(place),
          line: typeof line === 'number' && Number.isSafeInteger(line) && line > 0 ? line : null,
          title,
          explanation: message(rule['fullDescription'], 2_000) || title,
          fix:
            message(rule['help'], 2_000) ||
            text(rule['helpUri'], 500) ||
            'See the documentation of the tool.',
          snippet: message(region['snippet'], 240),
        },
      });
    }
  }
  return { detectors: [...detectors], findings: fingerprinted(drafts) };
}
