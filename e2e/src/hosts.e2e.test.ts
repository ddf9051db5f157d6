import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import { sendMetrics } from './otlp.ts';
import { HostsPage } from './pages/hosts-page.ts';
import {
  cudaMetrics,
  hostMetrics,
  machinesOfOneName,
  processMetrics,
  servedTrace,
  silentMetrics,
} from './seeds-hosts.ts';
import { accessibilityFindings, intercept, openStage, soon, type Stage } from './stage.ts';

const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, hosts in the browser: ${missing}`);

describe.skipIf(missing !== undefined)('hosts and GPUs', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());
  const heard: string[][] = [];
  afterEach(() => expect(heard.splice(0).flat()).toEqual([]));

  const open = async (path: string, options?: { colorScheme?: 'light' | 'dark' }) => {
    const opened = await stage.open(path, options);
    heard.push(opened.complaints);
    return { page: opened.page, hosts: new HostsPage(opened.page) };
  };

  it('shows what to paste, and turns live when the first host reports', async () => {
    const { page, hosts } = await open('/hosts');
    await page.getByRole('heading', { name: 'Measure the first host' }).waitFor();
    const now = Date.now();
    await stage.seed(servedTrace(now));
    await sendMetrics(stage.platform.otlpHttp, ...hostMetrics(now));
    await hosts.host('gpu-node-1').waitFor();
    expect(await hosts.hosts.count()).toBe(3);
  });

  it('a tile for each GPU with its partitions, silence and trouble in words', async () => {
    const { page, hosts } = await open('/hosts?from=-1h');
    await hosts.tiles.first().waitFor();
    expect(await hosts.tiles.count()).toBe(2);
    expect(await hosts.partitions.count()).toBe(1);
    const text = await hosts.tiles.first().innerText();
    for (const words of ['89', '640/700 W', '91°', 'llama-0', '2 XID']) expect(text).toContain(words);
    const quiet = await hosts.host('quiet-node').innerText();
    expect(quiet).toContain('Not reporting for');
    // What it showed last, and when: not a dash.
    expect(quiet).toMatch(/as of \d\d/);
    expect(quiet).toMatch(/CPU\s+\d+/);
    expect(await hosts.host('gpu-node-1').innerText()).toContain('up 2h 29m');
    expect(await page.getByTestId('fleet-totals').innerText()).toContain('1 not reporting');
    await page.getByRole('button', { name: 'Needs attention' }).click();
    await soon(() => hosts.hosts.count()).toBe(2);
    expect(new URL(page.url()).searchParams.get('show')).toBe('attention');
  });

  it('filters by words of hosts, GPUs and processes, groups and sorts', async () => {
    const { page, hosts } = await open('/hosts?from=-1h');
    await hosts.tiles.first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('vllm');
    await soon(() => hosts.hosts.count()).toBe(1);
    await soon(() => hosts.tiles.count()).toBe(1);
    await hosts.filter.fill('nothing like it');
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await page.getByRole('button', { name: 'Show all hosts' }).click();
    await soon(() => hosts.hosts.count()).toBe(3);
    await page.getByRole('button', { name: /^Group by/ }).click();
    await page.getByRole('menuitemradio', { name: 'Cloud zone' }).click();
    await page.getByRole('heading', { name: /eu-1a/ }).waitFor();
    await page.getByRole('button', { name: /^Sort by/ }).click();
    await page.getByRole('menuitemradio', { name: 'Temperature' }).click();
    await soon(() => new URL(page.url()).searchParams.get('sort')).toBe('temperature');
  });

  it('walks hosts and GPUs by keyboard, opens a GPU and comes back', async () => {
    const { page, hosts } = await open('/hosts?from=-1h&sort=temperature');
    await hosts.tiles.first().waitFor();
    // What was clicked last does not keep Enter.
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.keyboard.press('j');
    await soon(() => hosts.active.innerText()).toContain('gpu-node-1');
    await page.keyboard.press('ArrowRight');
    await soon(() => hosts.active.getAttribute('data-testid')).toBe('gpu-tile');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /H100 80GB HBM3 · GPU 0/ }).waitFor();
    expect(await page.getByTestId('gpu-figures').innerText()).toContain('640 W');
    for (const title of [
      'Utilisation',
      'Inside the GPU',
      'Pipes',
      'Memory',
      'Power',
      'Temperature',
      'Clocks',
      'PCIe',
      'Interconnect',
      'Errors',
      'Memory by process',
      'Model calls of this host',
    ])
      await hosts.chart(title).locator('svg').first().waitFor();
    await page.getByRole('cell', { name: 'llama-0' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'gpu-node-1' }).waitFor();
    await page.keyboard.press('Escape');
    await hosts.tiles.first().waitFor();
    expect(new URL(page.url()).searchParams.get('sort')).toBe('temperature');
  });

  it('steps to the next GPU and back, by keys and by buttons, and compares the clocks of all', async () => {
    const { page, hosts } = await open('/hosts/gpu-node-1?from=-1h&tab=gpus');
    await hosts.chart('Clocks').locator('svg').first().waitFor();
    await hosts.tiles.first().click();
    await page.getByRole('heading', { name: /GPU 0$/ }).waitFor();
    expect(await page.getByRole('button', { name: 'First' }).isDisabled()).toBe(true);
    await page.keyboard.press(']');
    await page.getByRole('heading', { name: /GPU 1$/ }).waitFor();
    await page.keyboard.press(']');
    await page.getByRole('button', { name: 'GPU 0' }).click();
    await page.getByRole('heading', { name: /GPU 0$/ }).waitFor();
    // Steps are no history: back leads to where one came from.
    await page.goBack();
    await page.getByRole('tab', { name: /GPUs/, selected: true }).waitFor();
  });

  it('a host: cores, memory, file systems, processes, model calls beside the GPUs', async () => {
    const { page, hosts } = await open('/hosts/gpu-node-1?from=-1h');
    await page.getByTestId('cpu-strip').waitFor();
    expect(await page.getByTestId('cpu-strip').locator('> div').count()).toBe(4);
    const cores = page.getByRole('list', { name: 'Busy share of 4 cores over time' }).getByRole('listitem');
    expect(await cores.count()).toBe(4);
    expect(await cores.first().innerText()).toMatch(/^Core .*: now .*%, on average .*%, at most .*% at /);
    await page.getByRole('cell', { name: '/models' }).waitFor();
    await hosts.openTab('Processes');
    await page.getByRole('cell', { name: '4711' }).waitFor();
    await page.getByText('<img src=x').first().waitFor();
    await page.getByRole('searchbox', { name: 'Filter processes' }).fill('llama');
    await soon(() => page.getByRole('table').locator('tbody tr').count()).toBe(1);
    await hosts.openTab('Model calls');
    await hosts.chart('GPU utilisation').locator('svg').first().waitFor();
    await page.getByRole('link', { name: 'llama', exact: true }).click();
    await soon(() => page.locator('[role=row][aria-rowindex]').count()).toBe(3);
  });

  it('charts below each other share their times, and name the only curve they have', async () => {
    const { page, hosts } = await open('/hosts/gpu-node-1?from=-1h&tab=calls');
    const plots = page.getByTestId('time-chart');
    await soon(() => plots.count()).toBe(4);
    const boxes = await Promise.all((await plots.all()).map((plot) => plot.boundingBox()));
    expect(
      new Set(boxes.map((box) => [box?.x, box?.width].map((at) => Math.round(at ?? 0)).join())).size,
    ).toBe(1);
    await page.goto(`${stage.platform.http}/hosts/gpu-node-1/gpus/GPU-0?from=-1h`);
    await soon(() => hosts.chart('Interconnect').innerText()).toContain('NVLink sent');
    await hosts.chart('Pipes').locator('svg').first().waitFor();
    const within = async (title: string, plot: string) => {
      const card = hosts.chart(title);
      const [outer, inner] = await Promise.all([card.boundingBox(), card.getByTestId(plot).boundingBox()]);
      return Math.round((inner?.x ?? 0) - (outer?.x ?? 0));
    };
    expect(await within('Pipes', 'time-chart')).toBe(await within('Utilisation', 'time-chart'));
    await page.goto(`${stage.platform.http}/hosts/gpu-node-1?from=-1h`);
    await hosts.chart('CPU').locator('svg').first().waitFor();
    await page.getByTestId('cpu-strip').waitFor();
    expect(await within('CPU by core', 'cpu-strip')).toBe(await within('CPU', 'time-chart'));
  });

  it('says on a telephone too which GPU it is', async () => {
    const { page } = await open('/hosts/gpu-node-1/gpus/GPU-0?from=-1h');
    await page.setViewportSize({ width: 390, height: 800 });
    const heading = page.getByRole('heading', { level: 1 });
    await soon(() => heading.innerText()).toContain('GPU 0');
    expect(await heading.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
    expect((await heading.boundingBox())?.width).toBeGreaterThan(200);
  });

  it('says of a process since when it is on a GPU, and when it was there before', async () => {
    const { page } = await open('/hosts/gpu-node-1/gpus/GPU-0?from=-1h');
    const since = page.getByRole('row', { name: /llama-0/ }).getByRole('cell', { name: /\d\d:\d\d:\d\d$/ });
    await soon(() => since.innerText()).toMatch(/^(\d\d \w+ )?\d\d:\d\d:\d\d$/);
    await page.goto(`${stage.platform.http}/hosts/gpu-node-1/gpus/GPU-0?from=-20m`);
    await soon(() => since.innerText()).toMatch(/^before /);
  });

  it('a partition leads to its GPU and back', async () => {
    const { page } = await open('/hosts/gpu-node-1/gpus/MIG-1?from=-1h');
    await page.getByRole('heading', { name: 'Partition of' }).waitFor();
    await page.getByRole('listitem').getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Partitions' }).waitFor();
    await page.getByRole('link', { name: /3g\.40gb/ }).waitFor();
  });

  it('never shows the figures of one under the address of another', async () => {
    const { page } = await open('/hosts/gpu-node-1/gpus/MIG-1?from=-1h');
    await page.getByRole('heading', { name: 'Partition of' }).waitFor();
    await intercept(page, /\/api\/telemetry\/.*GPU-1/, () => new Promise<void>(() => undefined));
    await page.getByRole('listitem').getByRole('link').first().click();
    await soon(() => new URL(page.url()).pathname).toContain('GPU-1');
    await page.getByLabel('Loading the GPU').waitFor();
    expect(await page.getByRole('heading', { name: 'Partition of' }).count()).toBe(0);
  });

  it('warns of machines that report under one name', async () => {
    await sendMetrics(stage.platform.otlpHttp, ...machinesOfOneName(Date.now()));
    await stage.settled();
    const { page, hosts } = await open('/hosts?from=-1h&show=attention');
    await soon(() => hosts.host('localhost').innerText()).toContain('2 machines of this name');
    await hosts.host('localhost').getByRole('link').first().click();
    await page.getByRole('heading', { name: 'localhost' }).waitFor();
    await page.getByText('2 machines report under this name').waitFor();
    await page.getByText('m-1, m-2').waitFor();
  });

  it('names a host whole, however much there is to say of it', async () => {
    const now = Date.now();
    const names = ['gpu-inference-h100-01', 'gpu-inference-h100-02'];
    await sendMetrics(
      stage.platform.otlpHttp,
      ...names.map((name) => ({
        name: 'system.memory.usage',
        kind: 'gauge' as const,
        unit: 'By',
        resource: { 'host.name': name, 'deployment.environment.name': 'staging' },
        service: 'agent',
        points: Array.from({ length: 40 }, (_, minute) => minute)
          .filter((minute) => minute < 8 || minute > 20)
          .map((minute) => ({
            at: now - (40 - minute) * 60_000,
            value: 4e9,
            attributes: { 'system.memory.state': 'used' },
          })),
      })),
    );
    await stage.settled();
    const { hosts } = await open('/hosts?from=-1h&q=inference');
    for (const name of names) {
      await soon(() => hosts.host(name).innerText()).toMatch(/Away for \d+m/);
      const beginning = hosts.host(name).locator('.middle-truncation > span').first();
      expect(await beginning.evaluate((span) => span.scrollWidth <= span.clientWidth)).toBe(true);
    }
  });

  it('claims nothing of what is silent, and can be read there in both themes', async () => {
    await sendMetrics(stage.platform.otlpHttp, ...silentMetrics(Date.now()));
    await stage.settled();
    for (const colorScheme of ['dark', 'light'] as const) {
      const { page, hosts } = await open('/hosts?from=-1h', { colorScheme });
      await soon(() => hosts.host('gone-gpu-node').innerText()).toMatch(/as of \d\d/);
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.goto(`${stage.platform.http}/hosts/gone-gpu-node/gpus/GPU-gone?from=-1h`);
      const partition = page.getByRole('listitem').getByRole('link', { name: /3g\.40gb/ });
      await partition.waitFor();
      const text = await partition.innerText();
      expect(text).not.toContain('No process');
      expect(text).not.toContain('– of –');
      await page.getByTestId('gpu-figures').waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      // The only GPU of its host has no other to be linked with.
      await hosts.chart('Memory').locator('svg').first().waitFor();
      expect(await hosts.chart('Interconnect').count()).toBe(0);
    }
  });

  it('keeps its tools within the window, however wide that is', async () => {
    const { page, hosts } = await open('/hosts?from=-1h');
    await hosts.hosts.first().waitFor();
    const last = page.getByRole('button', { name: 'Open Fleet as query' });
    for (const width of [390, 640, 680, 720, 768, 800, 900]) {
      await page.setViewportSize({ width, height: 800 });
      const at = await last.boundingBox();
      expect([width, (at?.x ?? 9_999) + (at?.width ?? 0) <= width]).toEqual([width, true]);
    }
  });

  it('writes the name of a process in one piece', async () => {
    await sendMetrics(stage.platform.otlpHttp, ...processMetrics(Date.now()));
    await stage.settled();
    const { page } = await open('/hosts/process-node?from=-1h&tab=processes');
    const name = page.getByRole('row').locator('.middle-truncation', { hasText: 'llm-inference' });
    await name.waitFor();
    // What is drawn of the beginning has no more room than its letters.
    const spare = await name.evaluate((element) => {
      const beginning = element.firstElementChild;
      const range = element.ownerDocument.createRange();
      range.selectNodeContents(beginning);
      return beginning.getBoundingClientRect().width - range.getBoundingClientRect().width;
    });
    expect(spare).toBeLessThan(2);
  });

  it('says what is not there', async () => {
    const { page } = await stage.open('/hosts/nobody?from=-1h');
    await page.getByRole('heading', { name: 'This host did not report' }).waitFor();
    await page.goto(`${stage.platform.http}/hosts/gpu-node-1/gpus/GPU-9?from=-1h`);
    await page.getByRole('heading', { name: 'This GPU did not report' }).waitFor();
    await page.goto(`${stage.platform.http}/hosts/process-node?from=-1h&tab=gpus`);
    await page.getByRole('tab', { name: 'Overview', selected: true }).waitFor();
    await page.getByRole('tabpanel', { name: 'Overview' }).waitFor();
  });

  it('which kernels ran, how long at most, for whom, and what of it is a model', async () => {
    const { page } = await open('/hosts/gpu-node-1/gpus/GPU-0?from=-1h', { colorScheme: 'light' });
    await sendMetrics(stage.platform.otlpHttp, ...cudaMetrics(Date.now()));
    await stage.settled();
    await page.reload();
    const section = page.getByRole('region', { name: 'CUDA calls' }).first();
    const rowsOf = (name: string) => section.getByRole('region', { name }).getByRole('row');
    // 29 minutes of 9 s each, and 1,200 launches a minute.
    await soon(async () =>
      (await rowsOf('Top kernels by time').nth(1).innerText()).replaceAll(/\s+/g, ' '),
    ).toMatch(/ampere_sgemm_128x64 4m 21s 94\.\d+% 34\.8k/);
    expect(await rowsOf('CUDA calls by process').nth(1).innerText()).toContain('train (815)');
    expect(await section.innerText()).toContain('Occupancy, estimated');
    await section.getByText('Which of these are counted').click();
    await section.getByRole('cell', { name: 'Time of a kernel' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    const { SHOTS: folder } = process.env;
    if (folder) {
      await section.scrollIntoViewIfNeeded();
      await page.screenshot({ path: `${folder}/cuda-light.png` });
    }
  });

  for (const colorScheme of ['dark', 'light'] as const)
    it(`passes the accessibility rules (${colorScheme})`, { timeout: 60_000 }, async () => {
      const { page, hosts } = await open('/hosts?from=-1h', { colorScheme });
      await hosts.tiles.first().waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.goto(`${stage.platform.http}/hosts/localhost?from=-1h`);
      await page.getByText('2 machines report').waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.goto(`${stage.platform.http}/hosts/gpu-node-1?from=-1h`);
      await page.getByTestId('cpu-strip').waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      await hosts.openTab('Processes');
      await page.getByRole('cell', { name: '4711' }).waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.goto(`${stage.platform.http}/hosts/gpu-node-1/gpus/GPU-0?from=-1h`);
      await hosts.chart('Power').locator('svg').first().waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
    });
});
