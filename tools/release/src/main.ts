import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { changelog } from './changelog.ts';
import { bundleCli, cliPackageFile, packCli } from './cli.ts';
import { bundlePortable, compileBinary, describeParts } from './compile.ts';
import { ROOT } from './packages.ts';
import { packPlatform, platformFile } from './platform.ts';
import { CHANGELOG_FILE, CLI_FILE, NOTICES_FILE, PORTABLE_FILE, TARGETS } from './targets.ts';

const USAGE = `npm run release [-- --target <one of ${TARGETS.map(({ id }) => id).join(', ')}, portable>]... [--out <folder>]
npm run release -- --platform [--out <folder>]
npm run release -- --cli [--out <folder>]`;

/** Builds the binaries of the collector, the package of the platform or the command line, with checksums. */
function main(): void {
  const { values } = parseArgs({
    options: {
      target: { type: 'string', multiple: true },
      out: { type: 'string' },
      platform: { type: 'boolean', default: false },
      cli: { type: 'boolean', default: false },
    },
  });
  if (values.cli) {
    const out = resolve(values.out ?? join(ROOT, 'dist', 'cli'));
    mkdirSync(out, { recursive: true });
    report(out, CLI_FILE, bundleCli);
    report(out, cliPackageFile(), packCli);
    writeFileSync(join(out, CHANGELOG_FILE), changelog());
    writeChecksums(out);
    return;
  }
  if (values.platform) {
    const out = resolve(values.out ?? join(ROOT, 'dist', 'platform'));
    mkdirSync(out, { recursive: true });
    report(out, platformFile(), packPlatform);
    writeFileSync(join(out, CHANGELOG_FILE), changelog());
    writeChecksums(out);
    return;
  }
  const wanted = values.target ?? [...TARGETS.map(({ id }) => id), 'portable'];
  const known = new Set([...TARGETS.map(({ id }) => id), 'portable']);
  const unknown = wanted.filter((id) => !known.has(id));
  if (unknown.length > 0) throw new Error(`There is no target ${unknown.join(', ')}.\n${USAGE}`);
  const out = resolve(values.out ?? join(ROOT, 'dist', 'collector'));
  mkdirSync(out, { recursive: true });
  for (const target of TARGETS) {
    if (wanted.includes(target.id)) report(out, target.file, (path) => compileBinary(target, path));
  }
  if (wanted.includes('portable')) report(out, PORTABLE_FILE, bundlePortable);
  writeFileSync(join(out, NOTICES_FILE), describeParts());
  writeFileSync(join(out, CHANGELOG_FILE), changelog());
  writeChecksums(out);
}

function report(out: string, file: string, build: (path: string) => void): void {
  const path = join(out, file);
  const began = performance.now();
  rmSync(path, { force: true });
  build(path);
  const mebibytes = (statSync(path).size / 1024 ** 2).toFixed(1);
  console.log(`${file}: ${mebibytes} MiB, ${((performance.now() - began) / 1_000).toFixed(1)} s`);
}

/** Of everything in the folder, as `sha256sum --check` reads it. */
function writeChecksums(out: string): void {
  const files = [
    ...TARGETS.map(({ file }) => file),
    PORTABLE_FILE,
    NOTICES_FILE,
    CHANGELOG_FILE,
    platformFile(),
    CLI_FILE,
    cliPackageFile(),
  ];
  const lines = readdirSync(out)
    .filter((file) => files.includes(file))
    .sort()
    .map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(join(out, file)))
          .digest('hex')}  ${file}\n`,
    );
  writeFileSync(join(out, 'SHA256SUMS'), lines.join(''));
}

try {
  main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
