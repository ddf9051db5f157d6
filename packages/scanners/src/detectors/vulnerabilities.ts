import type { Detector } from '../types.ts';

/** Known vulnerabilities of the packages that lock files name, from data that is on this machine. */
export const vulnerabilities: Detector = {
  id: 'vulnerabilities',
  title: 'Known vulnerabilities',
  create: (scan) => ({
    wants: () => false,
    end() {
      const index = scan.settings.vulnerabilities;
      if (index === undefined || index.data.state === 'none') {
        if (scan.components.length > 0) {
          scan.report({
            ruleId: 'vulnerability-data-none',
            severity: 'info',
            path: scan.components[0]?.path ?? '',
            line: null,
            title: `${scan.components.length} packages were not looked up: there is no vulnerability data`,
            explanation: 'This is not the same as no vulnerabilities.',
            fix: 'Upload OSV dumps (all.zip of each ecosystem) or set PLATFORM_OSV_DIR.',
          });
        }
        return;
      }
      if (index.data.state === 'stale') {
        scan.report({
          ruleId: 'vulnerability-data-stale',
          severity: 'info',
          path: scan.components[0]?.path ?? '',
          line: null,
          title: `The vulnerability data is of ${index.data.date.slice(0, 10)}`,
          explanation: 'What was published since is missing.',
          fix: 'Upload newer OSV dumps.',
        });
      }
      for (const { ecosystem, name, version, path } of scan.components) {
        for (const one of index.find(ecosystem, name, version)) {
          const ids = [one.id, ...one.aliases].slice(0, 4).join(', ');
          scan.report({
            ruleId: one.id,
            severity: one.severity,
            path,
            line: null,
            title: `${name} ${version}: ${one.summary.slice(0, 200) || one.id}`,
            explanation: `${ids} affects this version.`,
            fix:
              one.fixedIn === undefined
                ? 'No version without it is known: replace the package, or shield its use.'
                : `Update to ${one.fixedIn} or later.`,
            snippet: `${name} ${version}`,
          });
        }
      }
    },
  }),
};
