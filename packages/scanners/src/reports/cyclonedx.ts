import type { Component } from '../types.ts';

/** CycloneDX 1.6: the packages that lock files name, each once. */
export function bomOf(components: readonly Component[], version: string): object {
  const byPurl = new Map(components.map((one) => [one.purl, one]));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { tools: { components: [{ type: 'application', name: 'candela', version }] } },
    components: [...byPurl.values()].map(({ purl, name, version: own, licence, path }) => ({
      type: 'library',
      'bom-ref': purl,
      name,
      version: own,
      purl,
      ...(licence === undefined ? {} : { licenses: [{ expression: licence }] }),
      properties: [{ name: 'candela:lockfile', value: path }],
    })),
  };
}
