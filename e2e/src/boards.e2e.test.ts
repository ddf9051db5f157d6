import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { newSpanId, newTraceId, sendTrace } from './otlp.ts';
import { ask, OWNED, OWNER } from './people.ts';
import { accessibilityFindings, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, dashboards in the browser: ${missing}`);

interface Saved {
  readonly id: string;
  readonly title: string;
  readonly folderId: string | null;
  readonly widgets: readonly {
    readonly title: string;
    readonly place: Record<'x' | 'y' | 'w' | 'h', number>;
  }[];
}

/** A dashboard as people share them: what can be said here, and what cannot. */
const GRAFANA = {
  title: 'Inference',
  templating: { list: [{ name: 'model', type: 'query', query: 'label_values(requests_total, model)' }] },
  panels: [
    {
      type: 'timeseries',
      title: 'Requests',
      targets: [{ expr: 'sum by (model) (rate(requests_total{model=~"$model"}[5m]))' }],
      gridPos: { x: 0, y: 0, w: 12, h: 8 },
    },
    {
      type: 'stat',
      title: 'Forecast',
      targets: [{ expr: 'predict_linear(requests_total[1h], 3600)' }],
      gridPos: { x: 12, y: 0, w: 12, h: 8 },
    },
  ],
};

describe.skipIf(missing !== undefined)('dashboards', () => {
  let stage: Stage;
  const heard: string[][] = [];
  beforeAll(async () => {
    stage = await openStage(OWNED);
    const { page } = await stage.open('/', { as: OWNER });
    const { apiKey } = await ask<{ apiKey: string }>(page, stage, 'POST', '/api/api-key', {
      data: { name: 'sender', scopes: ['ingest'] },
    });
    for (const service of ['shop', 'search']) {
      await sendTrace(
        stage.platform.otlpHttp,
        {
          traceId: newTraceId(),
          service,
          startedAt: Date.now() - 120_000,
          spans: Array.from({ length: service === 'shop' ? 20 : 5 }, (_, n) => ({
            spanId: newSpanId(),
            name: 'chat',
            kind: 3,
            startMs: n * 1_000,
            durationMs: n * 10,
            attributes: {
              'gen_ai.operation.name': 'chat',
              'gen_ai.request.model': 'gpt-4o',
              'session.id': `s${n % 3}`,
              ...(service === 'search' ? { 'gen_ai.agent.name': 'finder' } : {}),
            },
            ...(service === 'search' && n === 0
              ? {
                  failed: 'no',
                  events: [
                    {
                      name: 'exception',
                      attributes: { 'exception.type': 'Timeout', 'exception.message': 'no' },
                    },
                  ],
                }
              : {}),
          })),
        },
        apiKey,
      );
    }
    await page.context().close();
  });
  afterAll(() => stage?.close());
  afterEach(() => {
    expect(heard.splice(0).flat()).toEqual([]);
  });
  const open = async (path: string, options?: { colorScheme?: 'light' | 'dark' }): Promise<Page> => {
    const opened = await stage.open(path, { as: OWNER, ...options });
    heard.push(opened.complaints);
    return opened.page;
  };
  const saved = (page: Page) =>
    ask<Saved>(page, stage, 'GET', `/api/boards/${new URL(page.url()).pathname.split('/').at(-1)}`);
  const widget = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true });
  const add = async (
    page: Page,
    title: string,
    fill: (dialog: ReturnType<Page['getByRole']>) => Promise<unknown>,
  ) => {
    await page.getByRole('button', { name: 'Add widget' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Title').fill(title);
    await fill(dialog);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  };

  it('is built of widgets of each kind, in a folder, narrowed by a variable', async () => {
    const page = await open('/boards');
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Production');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'New folder in Production' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Models');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('region', { name: 'Production' }).getByRole('region', { name: 'Models' }).waitFor();
    await page.getByRole('button', { name: 'New dashboard' }).click();
    await page.getByRole('dialog').getByLabel('Title').fill('Ours');
    await page.getByRole('dialog').getByLabel('Folder').selectOption({ label: 'Production / Models' });
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Add the first widget' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    for (const [type, label] of [
      ['stat', 'Stat'],
      ['line', 'Line'],
      ['area', 'Area'],
      ['bar', 'Bar'],
      ['pie', 'Pie'],
      ['table', 'Table'],
      ['heatmap', 'Heat map'],
    ] as const) {
      await add(page, label, async (dialog) => {
        await dialog.getByLabel('Drawn as').selectOption(type);
        if (type === 'heatmap' || type === 'stat') return;
        await dialog.getByLabel('Group by').fill('service');
        if (type !== 'bar') return;
        await dialog.getByLabel('Over time').uncheck();
        await dialog.getByRole('button', { name: 'Add threshold' }).click();
        await dialog.getByLabel('Value of threshold 1').fill('6');
        await dialog.getByRole('button', { name: 'Add threshold' }).click();
        await dialog.getByLabel('Tone of threshold 2').selectOption('danger');
      });
    }
    await add(page, 'Text', async (dialog) => {
      await dialog.getByLabel('Source').selectOption('markdown');
      await dialog.getByRole('textbox', { name: 'Text' }).fill('# Read me');
    });
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByRole('button', { name: 'Add variable' }).click();
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('service');
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await add(page, 'Statement', async (dialog) => {
      await dialog.getByLabel('Source').selectOption('sql');
      await dialog.getByLabel('Drawn as').selectOption('table');
      await dialog
        .getByRole('textbox', { name: 'Statement' })
        .fill(
          'SELECT ServiceName, count() AS spans FROM otel_traces WHERE 1[[ AND ServiceName IN {{filter.service}}]] GROUP BY ServiceName',
        );
      await dialog.getByRole('region', { name: 'Preview' }).getByText('search').waitFor();
    });
    await add(page, 'Own calls', async (dialog) => {
      await dialog.getByLabel('Source').selectOption('usage');
      await dialog.getByLabel('Drawn as').selectOption('stat');
    });
    await add(page, 'Scores', (dialog) => dialog.getByLabel('Source').selectOption('scores'));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await soon(async () => (await saved(page)).widgets.length).toBe(11);
    await soon(() => widget(page, 'Bar').getByRole('listitem').count()).toBe(2);
    await widget(page, 'Text').scrollIntoViewIfNeeded();
    await widget(page, 'Text').getByText('Read me').waitFor();
    const statement = widget(page, 'Statement');
    await statement.scrollIntoViewIfNeeded();
    await statement.getByText('search').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);

    await page.getByRole('button', { name: 'Service all' }).click();
    await page
      .getByRole('dialog', { name: 'Service' })
      .getByRole('button', { name: 'shop', exact: true })
      .click();
    await page.keyboard.press('Escape');
    await soon(() => new URL(page.url()).searchParams.get('vars')).toBe('{"service":["shop"]}');
    await statement.scrollIntoViewIfNeeded();
    await soon(() => statement.getByText('search').count()).toBe(0);
    await statement.getByText('shop').waitFor();
    const download = page.waitForEvent('download');
    await statement.hover();
    await page.getByRole('button', { name: 'Save Statement as CSV' }).click();
    expect(readFileSync(await (await download).path(), 'utf8')).toBe('\uFEFFServiceName,spans\r\nshop,20');
    const picture = page.waitForEvent('download');
    await widget(page, 'Pie').hover();
    await page.getByRole('button', { name: 'Save Pie as picture' }).click();
    expect(
      readFileSync(await (await picture).path())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
  });

  it('is laid out with keys, loads what is in view, fills the screen, and goes through a file', async () => {
    const page = await open('/boards');
    await page.getByRole('link', { name: /^Ours/ }).click();
    const asked: string[][] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/data'))
        asked.push((request.postDataJSON() as { widgets: string[] }).widgets);
    });
    await page.reload();
    await widget(page, 'Line').getByTestId('time-chart').waitFor();
    expect(asked[0]?.length).toBeLessThan(11);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const places = async (title: string) =>
      (await saved(page)).widgets.find((one) => one.title === title)?.place;
    const before = await places('Pie');
    const grip = page.getByRole('button', { name: 'Move Pie', exact: true });
    await grip.focus();
    await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Shift+ArrowUp');
    await page
      .getByRole('status')
      .getByText(/Pie: column .* 5 wide, 3 high/)
      .waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await soon(() => places('Pie')).toEqual({ ...before, w: 5, h: 3 });
    await page.getByRole('button', { name: 'Done' }).click();

    await page.getByRole('button', { name: 'Full screen' }).click();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Leave full screen' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const file = readFileSync(await (await download).path(), 'utf8');
    await page.goto(`${stage.platform.http}/boards`);
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByLabel('JSON').fill(file);
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('11 of 11 widgets were taken').waitFor();
    await page.getByRole('button', { name: 'Open' }).click();
    await widget(page, 'Line').getByTestId('time-chart').waitFor();

    await page.goto(`${stage.platform.http}/boards`);
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByLabel('JSON').fill(JSON.stringify(GRAFANA));
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('1 of 2 widgets were taken').waitFor();
    await page.getByText(/predict_linear/).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Open' }).click();
    await widget(page, 'Forecast')
      .getByText(/Not imported/)
      .waitFor();
  });

  it('takes a chart that is made of a list', async () => {
    for (const [path, measure] of [
      ['/traces?view=spans&q=service%3Ashop', 'Spans'],
      ['/traces', 'Traces'],
      ['/sessions', 'Sessions'],
    ] as const) {
      const page = await open(path);
      await page.getByRole('button', { name: 'Chart this' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('heading', { name: measure }).waitFor();
      await dialog.getByLabel('Group by').fill('model');
      await dialog.getByRole('heading', { name: `${measure} by model` }).waitFor();
      await dialog.getByTestId('time-chart').waitFor();
      await dialog.getByLabel('Over time').uncheck();
      await dialog.getByRole('listitem').first().waitFor();
      if (measure === 'Sessions') {
        // Kept under a name, with its groups; a link to it shows the same.
        await dialog.getByLabel('Top', { exact: true }).fill('3');
        await dialog.getByRole('button', { name: 'Save as a view' }).click();
        await dialog.getByLabel('Name of the view').fill('Sessions of models');
        await dialog.getByRole('button', { name: 'Save', exact: true }).click();
        await dialog.getByText('Saved as “Sessions of models”').waitFor();
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        await page.reload();
        await page.getByRole('button', { name: 'Views' }).click();
        await page.getByRole('button', { name: 'Sessions of models', exact: true }).click();
        await dialog.getByRole('heading', { name: 'Sessions by model' }).waitFor();
        expect(await dialog.getByLabel('Top', { exact: true }).inputValue()).toBe('3');
        expect(await dialog.getByLabel('Over time').isChecked()).toBe(false);
        await page.reload();
        await dialog.getByRole('listitem').first().waitFor();
        expect(await accessibilityFindings(page)).toEqual([]);
      }
      if (measure === 'Spans') {
        expect(await accessibilityFindings(page)).toEqual([]);
        await dialog.getByRole('link', { name: 'Put on a dashboard' }).click();
        await page.getByRole('region', { name: 'Models' }).getByRole('link', { name: /^Ours/ }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await widget(page, 'Spans by model').scrollIntoViewIfNeeded();
        await widget(page, 'Spans by model').getByText('20').waitFor();
      }
      await page.context().close();
    }
  });

  it('takes a chart of exceptions and of agents', async () => {
    for (const [path, name] of [
      ['/exceptions?q=service%3Asearch%20message%3Ano', 'Errors by error_type'],
      ['/agents', 'Spans by agent'],
    ] as const) {
      const page = await open(path, { colorScheme: 'light' });
      await page.getByRole('button', { name: 'Chart this' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('heading', { name }).waitFor();
      await dialog.getByTestId('time-chart').waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.context().close();
    }
  });

  it('is readable in the light and on a telephone', async () => {
    const list = await open('/boards', { colorScheme: 'light' });
    await list.getByRole('region', { name: 'Production' }).waitFor();
    expect(await accessibilityFindings(list)).toEqual([]);
    await list.setViewportSize({ width: 390, height: 844 });
    expect(await list.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await list.getByRole('region', { name: 'Models' }).getByRole('link', { name: /^Ours/ }).click();
    await widget(list, 'Stat').getByText('25').waitFor();
    expect(await list.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(await accessibilityFindings(list)).toEqual([]);
  });
});
