import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { ask, OWNED, OWNER } from './people.ts';
import { accessibilityFindings, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, many projects in the browser: ${missing}`);

const nameOf = (number: number) => `Customer platform of the enterprise tier, service ${number}`;

describe.skipIf(missing !== undefined)('an organisation of many projects', () => {
  let stage: Stage;
  const ids = new Map<string, string>();
  const heard: string[][] = [];
  beforeAll(async () => {
    stage = await openStage(OWNED);
    const { page } = await stage.open('/settings', { as: OWNER });
    const names = [...Array.from({ length: 150 }, (_, at) => nameOf(at)), '🚀 مشروع العملاء', 'Research'];
    for (const name of names) {
      const { id } = await ask<{ id: string }>(page, stage, 'POST', '/api/projects', { data: { name } });
      ids.set(name, id);
    }
  }, 120_000);
  afterAll(() => stage?.close());
  afterEach(() => expect(heard.splice(0).flat()).toEqual([]));
  const open = async (path: string) => {
    const opened = await stage.open(path, { as: OWNER });
    heard.push(opened.complaints);
    return opened.page;
  };
  const projectOf = (url: string) => new URL(url).searchParams.get('project');

  it('is walked by words and keys, from the one that is open', async () => {
    const page = await open(`/settings/projects?project=${ids.get(nameOf(99))}`);
    await page.getByTestId('project').click();
    const dialog = page.getByRole('dialog', { name: 'Project' });
    const list = dialog.getByRole('listbox');
    const current = list.getByRole('option', { selected: true });
    await soon(() => current.innerText()).toBe(nameOf(99));
    const inView = await current.evaluate((element) => {
      const around = element.parentElement.getBoundingClientRect();
      const { top, bottom } = element.getBoundingClientRect();
      return top >= around.top && bottom <= around.bottom;
    });
    expect(inView).toBe(true);
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.type('service 14');
    await dialog.getByText('12 of 153').waitFor();
    expect(await list.getByRole('option').first().innerText()).toBe(nameOf(14));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await soon(() => projectOf(page.url())).toBe(ids.get(nameOf(114)));
    await soon(() => page.getByTestId('project').innerText()).toBe(nameOf(114));
  });

  it('is told from the palette, which draws no more than can be read', async () => {
    const page = await open('/settings/projects');
    await page.getByTestId('project').waitFor();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await palette.getByText(/more words find them$/).waitFor();
    expect(await palette.getByRole('option').count()).toBe(120);
    await page.keyboard.type('project مشروع');
    await palette.getByRole('option').first().getByText('مشروع').waitFor();
    await page.keyboard.press('Enter');
    await soon(() => projectOf(page.url())).toBe(ids.get('🚀 مشروع العملاء'));
  });

  it('is found in settings by a name or an id, and in an invitation', async () => {
    const page = await open('/settings/projects');
    const box = page.getByRole('searchbox', { name: 'Find a project' });
    await box.fill('enterprise 77');
    await page.getByText('1 of 153').waitFor();
    await box.fill(ids.get('Research') ?? '');
    await soon(() => page.getByRole('row').nth(1).innerText()).toContain('Research');
    await box.fill('nothing of that kind');
    await page.getByText('No project has these words').waitFor();

    await page.goto(`${stage.platform.http}/settings/members`);
    await page.getByRole('button', { name: 'Invite' }).first().click();
    const invitation = page.getByRole('dialog');
    await invitation.getByRole('searchbox', { name: 'Find projects' }).fill('research');
    await invitation.getByRole('checkbox', { name: 'Research' }).check();
    await invitation.getByText('1 found, 2 chosen').waitFor();
    await invitation.getByRole('searchbox', { name: 'Find projects' }).press('Enter');
    expect(await invitation.getByRole('checkbox').count()).toBe(1);
  });
});
