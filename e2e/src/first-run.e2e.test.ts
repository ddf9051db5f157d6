import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { TracesPage } from './pages/traces-page.ts';
import { accessibilityFindings, openStage, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, first run in the browser: ${missing}`);

describe.skipIf(missing !== undefined)('first run', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  it('shows what to paste, and turns live when the pasted command was run', async () => {
    const { page, complaints } = await stage.open('/');
    await page.getByRole('heading', { name: 'Send the first trace' }).waitFor();
    const snippet = await page.getByRole('tabpanel').innerText();
    expect(snippet).toContain(`${stage.platform.http}/v1/traces`);
    expect(await accessibilityFindings(page)).toEqual([]);

    const run = spawnSync('bash', ['-c', snippet], { encoding: 'utf8' });
    expect(run.stderr).toBe('');
    expect(run.stdout).toMatch(/^\{.*\}$/s);

    await page.getByRole('region', { name: 'What changed' }).waitFor();
    await page.getByRole('button', { name: /^Traces/ }).click();
    const traces = new TracesPage(page);
    await traces.loaded();
    expect(await traces.cells()).toEqual([expect.stringContaining('chat gpt-4o-mini')]);
    await page.getByRole('link', { name: 'chat gpt-4o-mini' }).click();
    await page.getByText('Say hello').first().waitFor();
    await page.getByText('Hello!').first().waitFor();
    expect(complaints).toEqual([]);
  });
});
