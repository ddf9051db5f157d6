import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { editBetween, editOfDiff, editsOfPatch } from './lines.ts';

const dir = mkdtempSync(join(tmpdir(), 'candela-lines-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function numstat(pairs: readonly (readonly [string, string])[]): (readonly [number, number])[] {
  pairs.forEach(([before, after], n) => {
    writeFileSync(join(dir, `a${n}`), before);
    writeFileSync(join(dir, `b${n}`), after);
  });
  return pairs.map(([before, after], n) => {
    if (before === after) return [0, 0];
    try {
      // Without the heuristics that may take a longer way than the shortest.
      execFileSync('git', ['diff', '--no-index', '--minimal', '--numstat', `a${n}`, `b${n}`], {
        cwd: dir,
        encoding: 'utf8',
      });
      return [0, 0];
    } catch (thrown) {
      const [added, removed] = String((thrown as { stdout?: string }).stdout).split('\t');
      return [Number(added), Number(removed)];
    }
  });
}

it('lines equal those of git diff --numstat', () => {
  const line = fc.constantFrom('a', 'b', 'c', '', '  x', '+y', '-z', '--- a/x', 'é');
  const text = fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
    .map(([lines, end]) => lines.join('\n') + (end && lines.length > 0 ? '\n' : ''));
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { minLength: 5, maxLength: 5 }), (pairs) => {
      const ours = pairs.map(([before, after]) => {
        const { added, removed } = editBetween('x', before, after);
        return [added, removed];
      });
      expect(ours).toEqual(numstat(pairs));
    }),
    { numRuns: 30 },
  );
});

it('counts a unified diff without its head', () => {
  expect(editOfDiff('x', '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n+d')).toMatchObject({
    added: 2,
    removed: 1,
  });
});

it('counts the files of a patch', () => {
  const patch =
    '*** Begin Patch\n*** Add File: a\n+1\n+2\n*** Update File: b\n@@\n-x\n+y\n z\n*** Delete File: c\n*** End Patch';
  expect(editsOfPatch(patch).map(({ path, added, removed }) => [path, added, removed])).toEqual([
    ['a', 2, 0],
    ['b', 1, 1],
    ['c', 0, 0],
  ]);
});
