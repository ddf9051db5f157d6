import { describe, expect, it } from 'vitest';
import { chooseDetectors, scan, type ScanSettings } from '../index.ts';
import type { Source } from '../engine.ts';

const SETTINGS: ScanSettings = {
  licencePolicy: { allow: [], deny: [] },
  vulnerabilities: undefined,
  knownPackages: {},
  today: '2026-11-28',
};

/** Packages of one file, as package URLs. */
async function packagesOf(path: string, text: string): Promise<string[]> {
  const bytes = Buffer.from(text);
  const source: Source = {
    async *files() {
      yield { path, size: bytes.length, bytes: async () => bytes, text: async () => text };
    },
  };
  const { components } = await scan(
    source,
    SETTINGS,
    chooseDetectors('dependencies'),
    new AbortController().signal,
  );
  return components.map(({ purl }) => purl).toSorted();
}

const NPM = ['pkg:npm/%40acme/tool@2.0.0', 'pkg:npm/left-pad@1.3.0'];
const PYPI = ['pkg:pypi/flask@3.0.3', 'pkg:pypi/zope-interface@6.4'];

describe('lock files', () => {
  it.each([
    [
      'package-lock.json',
      JSON.stringify({
        lockfileVersion: 3,
        packages: {
          '': { name: 'app' },
          'node_modules/left-pad': { version: '1.3.0' },
          'node_modules/a/node_modules/@acme/tool': { version: '2.0.0' },
          'node_modules/own': { link: true },
        },
      }),
      NPM,
    ],
    [
      'npm-shrinkwrap.json',
      JSON.stringify({
        lockfileVersion: 1,
        dependencies: {
          'left-pad': { version: '1.3.0', dependencies: { '@acme/tool': { version: '2.0.0' } } },
        },
      }),
      NPM,
    ],
    [
      'pnpm-lock.yaml',
      "lockfileVersion: '9.0'\npackages:\n  left-pad@1.3.0:\n    resolution: {integrity: x}\n  '@acme/tool@2.0.0(peer@1.0.0)':\n    resolution: {integrity: x}\n",
      NPM,
    ],
    [
      'yarn.lock',
      '# yarn lockfile v1\n\nleft-pad@^1.0.0, left-pad@^1.3.0:\n  version "1.3.0"\n\n"@acme/tool@^2.0.0":\n  version "2.0.0"\n',
      NPM,
    ],
    [
      'yarn.lock',
      '__metadata:\n  version: 8\n\n"left-pad@npm:^1.3.0":\n  version: 1.3.0\n\n"@acme/tool@npm:^2.0.0":\n  version: 2.0.0\n',
      NPM,
    ],
    [
      'requirements.txt',
      'Flask==3.0.3 ; python_version > "3.8"\nzope.interface[test]==6.4 \\\n  --hash=sha256:x\nloose>=1\n',
      PYPI,
    ],
    [
      'poetry.lock',
      '[[package]]\nname = "flask"\nversion = "3.0.3"\n\n[[package]]\nname = "zope.interface"\nversion = "6.4"\n',
      PYPI,
    ],
    [
      'uv.lock',
      'version = 1\n[[package]]\nname = "app"\nversion = "0.1.0"\nsource = { virtual = "." }\n\n[[package]]\nname = "flask"\nversion = "3.0.3"\n\n[[package]]\nname = "zope-interface"\nversion = "6.4"\n',
      PYPI,
    ],
    [
      'pdm.lock',
      '[[package]]\nname = "flask"\nversion = "3.0.3"\n\n[[package]]\nname = "zope-interface"\nversion = "6.4"\n',
      PYPI,
    ],
    [
      'Pipfile.lock',
      JSON.stringify({
        default: { flask: { version: '==3.0.3' } },
        develop: { 'zope.interface': { version: '==6.4' } },
      }),
      PYPI,
    ],
    [
      'go.mod',
      'module example.com/app\n\ngo 1.26\n\nrequire github.com/pkg/errors v0.9.1\n\nrequire (\n\tgolang.org/x/net v0.47.0 // indirect\n)\n',
      ['pkg:golang/github.com/pkg/errors@v0.9.1', 'pkg:golang/golang.org/x/net@v0.47.0'],
    ],
    [
      'Cargo.lock',
      'version = 4\n[[package]]\nname = "app"\nversion = "0.1.0"\n\n[[package]]\nname = "serde"\nversion = "1.0.228"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n',
      ['pkg:cargo/serde@1.0.228'],
    ],
    [
      'pom.xml',
      '<project><properties><junit.version>5.11.0</junit.version></properties><dependencies><dependency><groupId>org.junit</groupId><artifactId>junit</artifactId><version>${junit.version}</version></dependency></dependencies></project>',
      ['pkg:maven/org.junit/junit@5.11.0'],
    ],
    [
      'gradle.lockfile',
      'org.junit:junit:5.11.0=testRuntimeClasspath\nempty=annotationProcessor\n',
      ['pkg:maven/org.junit/junit@5.11.0'],
    ],
  ])('%s', async (path, text, wanted) => {
    expect(await packagesOf(path, text)).toEqual(wanted);
  });
});
