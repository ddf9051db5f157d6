import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './packages.ts';
import { platformFile } from './platform.ts';
import { CHANGELOG_FILE, NOTICES_FILE, PORTABLE_FILE, TARGETS } from './targets.ts';

const DOCKERFILES = join(ROOT, 'deploy/docker');
/** What `npm run release` leaves in the folder that is the build context: nothing else may be asked of it. */
const CONTEXTS: Readonly<Record<string, readonly string[]>> = {
  'dist/platform': [platformFile(), CHANGELOG_FILE, 'SHA256SUMS'],
  'dist/collector': [
    ...TARGETS.map(({ file }) => file),
    PORTABLE_FILE,
    NOTICES_FILE,
    CHANGELOG_FILE,
    'SHA256SUMS',
  ],
};

describe.each(readdirSync(DOCKERFILES))('the image of %s', (file) => {
  const text = readFileSync(join(DOCKERFILES, file), 'utf8');
  const context = /^#.*docker buildx build[^]*? (dist\/\S+)$/m.exec(text)?.[1] ?? '';

  it.each(['amd64', 'arm64'])('copies only what a release leaves in its context: %s', (arch) => {
    const there = CONTEXTS[context] ?? [];
    const copied = [...text.matchAll(/^COPY (?:--\S+ )*(.+) \S+$/gm)].flatMap(([, sources = '']) =>
      sources.split(' ').map((source) => source.replaceAll('${TARGETARCH}', arch)),
    );
    expect(copied.length).toBeGreaterThan(0);
    for (const source of copied) {
      const pattern = new RegExp(`^${source.split('*').map(RegExp.escape).join('.*')}$`);
      expect(there.filter((name) => pattern.test(name))).toHaveLength(1);
    }
  });

  it('runs as a user that is named by its number, and takes no secret as an argument of the build', () => {
    expect(text).toMatch(/^USER \d+:\d+$/m);
    expect(text).not.toMatch(/^(?:ARG|ENV) .*(?:KEY|TOKEN|PASSWORD|PASSPHRASE|SECRET)/m);
  });
});
