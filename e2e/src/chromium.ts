import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The one without windows first: tests take half the time in it. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser of this machine: `CHROMIUM_PATH`, else the first of the usual places; undefined when there is none. */
function findChromium(): string | undefined {
  const named = process.env['CHROMIUM_PATH'];
  return [...(named === undefined ? [] : [named]), ...PLACES].find((path) => existsSync(path));
}

/** Why the browser tests do not run, or undefined when they do. */
export function whyNoBrowser(): string | undefined {
  return findChromium() === undefined
    ? 'No Chromium was found: install it (apt-get install chromium-headless-shell) or name it in CHROMIUM_PATH.'
    : undefined;
}

/** A headless browser that speaks to nobody but the page's own server. */
export function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(whyNoBrowser());
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // A server of sound would leave its own files behind.
      '--disable-audio-output',
    ],
  });
}
