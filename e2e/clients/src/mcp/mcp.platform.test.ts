import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NODE_BINARY } from '@candela/testkit';
import { expect, it } from 'vitest';

/** Where `.ci/run` puts the protocol's own programs. */
const PACKAGES = join(homedir(), '.cache/candela-tests/mcp');
const isThere = existsSync(join(PACKAGES, 'node_modules/@modelcontextprotocol/inspector'));
if (!isThere) {
  process.stderr.write(
    '\nSKIPPED: the MCP Inspector and the conformance client are not installed (.ci/run does that)\n\n',
  );
}

it.runIf(isThere)('the Inspector and the conformance client pass', async () => {
  const main = join(import.meta.dirname, 'main.ts');
  const { stdout } = await promisify(execFile)(NODE_BINARY, [main, '--packages', PACKAGES], {
    timeout: 110_000,
  });
  expect(stdout.match(/^passed/gm)).toHaveLength(8);
  expect(stdout).not.toContain('FAILED');
});
