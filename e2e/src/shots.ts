import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { whyNoBrowser } from './chromium.ts';
import { OWNED, OWNER } from './people.ts';
import { demo } from './shots/demo.ts';
import { SHOT_GROUPS } from './shots/index.ts';
import { PHONE, type Shot } from './shots/shot.ts';
import { openStage, type Stage } from './stage.ts';

/**
 * Pictures of every page in both themes with the demo data, for people to look at: `npm run shots [-- part ...]` takes
 * those whose name holds one of the parts, `--phone` all of them as wide as a telephone. A page that is wider than its
 * window is named.
 */
const HERE = dirname(fileURLToPath(import.meta.url));
const OUT = join(HERE, '..', 'shots');
const onPhone = process.argv.includes('--phone');

async function take(stage: Stage, shot: Shot, as?: typeof OWNER): Promise<void> {
  const path = typeof shot.path === 'string' ? shot.path : await shot.path(stage);
  for (const colorScheme of ['dark', 'light'] as const) {
    const { page, complaints } = await stage.open(path, { colorScheme, ...(as ? { as } : {}) });
    const size = onPhone ? PHONE : shot.size;
    if (size) await page.setViewportSize(size);
    await page.locator(shot.ready).first().waitFor();
    await page.waitForTimeout(900);
    await shot.act?.(page);
    await page.waitForTimeout(400);
    const name = onPhone ? `phone.${shot.name}` : shot.name;
    await page.screenshot({ path: join(OUT, `${name}.${colorScheme}.png`) });
    const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (beyond > 0) console.warn(`${name} (${colorScheme}): ${beyond} px wider than its window`);
    await page.context().close();
    // A page that asked for something absent is told so; anything else is a fault.
    for (const complaint of complaints)
      if (!complaint.includes('404')) console.warn(`${shot.name} (${colorScheme}): ${complaint}`);
  }
  console.log(shot.name);
}

const missing = whyNoBrowser();
if (missing !== undefined) {
  console.error(missing);
  process.exit(1);
}
mkdirSync(OUT, { recursive: true });
const parts = process.argv.slice(2).filter((part) => part !== '--phone');
const wanted = (shot: Shot) => parts.length === 0 || parts.some((part) => shot.name.includes(part));
const chosen = SHOT_GROUPS.map((group) => ({ ...group, shots: group.shots.filter(wanted) }));
if (chosen.every((group) => group.shots.length === 0)) {
  console.error(`No picture's name holds ${parts.join(' or ')}.`);
  process.exit(1);
}
const failed: string[] = [];
/** One picture that cannot be taken must not cost the others. */
async function attempt(stage: Stage, shots: readonly Shot[], as?: typeof OWNER): Promise<void> {
  for (const shot of shots)
    await take(stage, shot, as).catch((thrown: unknown) => {
      failed.push(shot.name);
      console.error(`${shot.name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    });
}

/** On one installation without an owner, first empty and then with the demo's data. */
async function takeOpen(groups: typeof chosen): Promise<void> {
  const stage = await openStage();
  try {
    for (const group of groups)
      await attempt(
        stage,
        group.shots.filter((shot) => shot.empty),
      );
    if (groups.every((group) => group.shots.every((shot) => shot.empty))) return;
    await demo(stage);
    for (const group of groups) {
      const filled = group.shots.filter((shot) => !shot.empty);
      if (filled.length === 0) continue;
      await group.seed?.(stage);
      await attempt(stage, filled);
    }
  } finally {
    await stage.close();
  }
}

/** On one that has an owner. */
async function takeOwned(groups: typeof chosen): Promise<void> {
  const stage = await openStage(OWNED);
  try {
    for (const group of groups) {
      await group.seed?.(stage);
      await attempt(stage, group.shots, group.nobody ? undefined : OWNER);
    }
  } finally {
    await stage.close();
  }
}

const taken = chosen.filter((group) => group.shots.length > 0);
const owned = taken.filter((group) => group.owned);
const unowned = taken.filter((group) => !group.owned);
if (unowned.length > 0) await takeOpen(unowned);
if (owned.length > 0) await takeOwned(owned);
console.log(`Pictures are in ${OUT}`);
if (failed.length > 0) console.error(`Not taken: ${failed.join(', ')}`);
// The fake vendors that the pages needed until here listen on.
process.exit(failed.length > 0 ? 1 : 0);
