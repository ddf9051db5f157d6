import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ROOT } from './packages.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

export interface Part {
  readonly folder: string;
  readonly manifest: Manifest;
}

const LICENCE_FILE = /^(licen[cs]e|notice|copying)(\.|-|$)/i;
const RULE = `\n${'-'.repeat(100)}\n\n`;

/** The package that a file below `node_modules` belongs to; undefined for files of this repository. */
function packageOf(file: string): string | undefined {
  if (!file.includes('/node_modules/')) return undefined;
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    // Packages have more files of that name, which only say how their modules are read.
    if (existsSync(manifest) && 'version' in (JSON.parse(readFileSync(manifest, 'utf8')) as object)) {
      return folder;
    }
  }
  return undefined;
}

/** The packages that these files of a bundle come from, and those named, each once and by name. */
export function partsOf(files: readonly string[], more: readonly string[]): Part[] {
  const folders = new Set(files.map(packageOf).filter((folder) => folder !== undefined));
  for (const name of more) folders.add(join(ROOT, 'node_modules', name));
  return [...folders]
    .map((folder) => ({
      folder,
      manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest,
    }))
    .sort((a, b) => (a.manifest.name < b.manifest.name ? -1 : 1));
}

/** Files of a bundle, from what the bundler wrote of it; its paths count from the folder that it ran in. */
export function bundledFiles(metafile: string, ranIn: string): string[] {
  const { inputs } = JSON.parse(metafile) as { readonly inputs: Readonly<Record<string, unknown>> };
  return Object.keys(inputs).map((path) => resolve(ranIn, path));
}

/** What a product is made of, with the licences in full; `more` stands before those. @throws when a package says nothing of its licence */
export function notices(product: string, parts: readonly Part[], more: readonly string[] = []): string {
  const sections = parts.map(({ folder, manifest: { name, version, license } }) => {
    const texts = readdirSync(folder)
      .filter((file) => LICENCE_FILE.test(file))
      .sort()
      .map((file) => readFileSync(join(folder, file), 'utf8').trim());
    if (texts.length === 0 && license === undefined) throw new Error(`${name} says nothing of its licence`);
    return `${name} ${version} (${license ?? 'see below'})\n\n${texts.join('\n\n')}`.trimEnd();
  });
  return [`${product} is part of Candela and under the Apache License 2.0. It holds:`, ...more, ...sections]
    .join(RULE)
    .concat('\n');
}
