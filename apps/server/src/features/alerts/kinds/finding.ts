import type { EventKind } from './kind.ts';

const RANKS = { critical: 0, high: 1, medium: 2, low: 3 } as const;

/** What scanners found for the first time, from a severity on. */
export const finding: EventKind<'finding'> = {
  mode: 'events',
  overlapMs: 600_000,
  async read(sources, { minSeverity }, { context, from, to }) {
    const found = await sources.metadata.scanners.firstSeen(
      { projectId: context.projectId, environment: context.environment },
      { from, to, worstRank: RANKS[minSeverity] },
    );
    return found.map((one) => ({
      key: `finding:${one.scannerId}:${one.fingerprint}`,
      at: one.firstSeen,
      labels: [
        ['severity_of_finding', one.severity],
        ['detector', one.detector],
        ['rule', one.ruleId],
        ['target', one.target],
      ],
      text: `${one.severity} finding ${one.ruleId} in ${one.path} of ${one.target}`,
      link: `/scanners?scanner=${encodeURIComponent(one.scannerId)}`,
    }));
  },
};
