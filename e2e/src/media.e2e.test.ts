import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from './chromium.ts';
import {
  HOSTILE_HTML,
  HOSTILE_IMAGE,
  HOSTILE_SVG,
  idOf,
  mediaTrace,
  picture,
  tone,
  upload,
} from './media.ts';
import { accessibilityFindings, openStage, soon, type Stage } from './stage.ts';

/** What the test asks of an element that plays. */
interface Player {
  muted: boolean;
  currentTime: number;
  readonly duration: number;
  readonly error: { readonly message: string } | null;
  play(): Promise<void>;
  pause(): void;
}
const missing = whyNoBrowser();
if (missing !== undefined) console.warn(`SKIPPED, media in the browser: ${missing}`);

describe.skipIf(missing !== undefined)('uploaded media', () => {
  let stage: Stage;
  const image = picture(320, 200);
  const sound = tone(30);
  const shown = mediaTrace(Date.now() - 60_000, [image, sound]);
  const hostile = mediaTrace(Date.now() - 90_000, [HOSTILE_SVG, HOSTILE_HTML]);
  const disguised = mediaTrace(Date.now() - 120_000, [HOSTILE_IMAGE]);
  const absent = mediaTrace(Date.now() - 150_000, [picture(3, 3)]);
  const spanOf = ({ traceId, spans }: typeof shown) => ({ traceId, spanId: spans[0]?.spanId ?? '' });
  beforeAll(async () => {
    stage = await openStage();
    await stage.seed(shown, hostile, disguised, absent);
    const { http } = stage.platform;
    for (const one of [image, sound]) await upload(http, one, spanOf(shown));
    for (const one of [HOSTILE_SVG, HOSTILE_HTML]) await upload(http, one, spanOf(hostile));
    await upload(http, HOSTILE_IMAGE, spanOf(disguised));
  });
  afterAll(() => stage?.close());

  const open = async (trace: typeof shown) => {
    const { traceId, spanId } = spanOf(trace);
    const opened = await stage.open(`/traces/${traceId}?span=${spanId}`);
    await opened.page.getByText('Look at this').first().waitFor();
    return opened;
  };
  const hacked = 'document.documentElement.dataset.hacked';

  it('shows a picture, and plays a sound from where a person wants it', async () => {
    const { page, complaints } = await open(shown);
    const img = page.locator('img[src*="/api/public/media/"]');
    await soon(() =>
      img.evaluate((node: { naturalWidth: number; naturalHeight: number }) => [
        node.naturalWidth,
        node.naturalHeight,
      ]),
    ).toEqual([320, 200]);
    const parts: string[] = [];
    page.on('response', (answer) => {
      const range = answer.headers()['content-range'];
      if (range !== undefined) parts.push(`${answer.status()} ${range}`);
    });
    const audio = page.locator('audio[src*="/api/public/media/"]');
    await soon(() => audio.evaluate((node: Player) => node.duration)).toBe(30);
    // Without parts a browser plays from the beginning whatever it is told.
    await audio.evaluate(async (node: Player) => {
      node.muted = true;
      node.currentTime = 25;
      await node.play();
    });
    await soon(() => audio.evaluate((node: Player) => node.currentTime)).toBeGreaterThan(25.2);
    expect(await audio.evaluate((node: Player) => node.error?.message ?? null)).toBeNull();
    expect(parts.filter((part) => part.startsWith('206 bytes '))).not.toEqual([]);
    await audio.evaluate((node: Player) => node.pause());
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it.each([
    // A drawing within a page runs nothing.
    ['a drawing with a script', () => hostile, HOSTILE_SVG, 'img'],
    ['a page', () => hostile, HOSTILE_HTML, 'a[download]'],
  ] as const)('runs nothing of %s, also when it is opened by itself', async (_, traceOf, one, shownBy) => {
    const { page, complaints } = await open(traceOf());
    const shownAs = page.locator(`${shownBy}[${shownBy === 'img' ? 'src' : 'href'}*="${idOf(one)}"]`);
    await shownAs.waitFor();
    const address = await shownAs.evaluate(
      (node: { src?: string; href?: string }) => node.src ?? node.href ?? '',
    );
    expect(await page.evaluate(hacked)).toBeUndefined();
    expect(complaints).toEqual([]);
    const saved = page.waitForEvent('download');
    // The navigation ends as a download: nothing replaces the page.
    await page.goto(address).catch(() => undefined);
    expect((await saved).suggestedFilename()).toContain(idOf(one));
    expect(await page.evaluate(hacked)).toBeUndefined();
  });

  it('takes a page that calls itself an image for no page', async () => {
    const { page } = await open(disguised);
    const link = page.locator(`a[download][href*="${idOf(HOSTILE_IMAGE)}"]`);
    const answer = await page.goto(await link.evaluate((node: { href: string }) => node.href));
    expect(answer?.status()).toBe(200);
    expect(await page.evaluate(hacked)).toBeUndefined();
  });

  it('says what never came', async () => {
    const { page } = await open(absent);
    await page
      .getByText(/was not found/)
      .first()
      .waitFor();
  });
});
