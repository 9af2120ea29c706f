import { accessSync, constants } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The shell first: it is the same engine without the windows of a browser, and takes a third less CPU. */
const PROGRAM = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(isExecutable);

/**
 * Playwright's own list, which this one replaces, and the last two: each window would get a process that draws the suggestions
 * below the address, for most of a second of CPU.
 */
const DISABLED_FEATURES = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
];

/** Whether tests that need a browser can run here. */
export const HAS_BROWSER = PROGRAM !== undefined;
/** Ends the name of a group of such tests, so that a skip says why. */
export const NEEDS_BROWSER = HAS_BROWSER ? '' : ' (skipped: Chromium is not installed)';
/** The time-out of browser actions: the browser shares the machine with other tests. */
export const BROWSER_TIMEOUT_MS = 300_000;

/** The Chromium of the system, without a window. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(PROGRAM === undefined ? {} : { executablePath: PROGRAM }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      `--disable-features=${DISABLED_FEATURES.join(',')}`,
    ],
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
