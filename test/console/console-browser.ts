import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core';
import { programPath } from '../harness/programs.mjs';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

/** The address of the pages. Chromium sends requests for it to the platform, whose port is not known before. */
export const ORIGIN = 'http://localhost';
const SCREENSHOTS = new URL('../../dist/screenshots/', import.meta.url);
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const NOON = '2026-03-02T12:00:00.000Z';
/** Long, because the machine may be busy. */
const TIMEOUT_MS = 60_000;

export interface ConsoleOptions {
  scheme?: 'light' | 'dark';
  width?: number;
  /** Device pixels of one pixel; a window that is half as wide with 2 is one that is enlarged to 200 %. */
  scale?: number;
  locale?: string;
}

/** A desktop, the same enlarged to 200 %, and a small phone. */
export const WINDOWS = [{ width: 1280 }, { width: 640, scale: 2 }, { width: 320 }] as const;

/** The platform, and Chromium, which shows its pages. */
export interface ConsoleBrowser {
  readonly platform: TestPlatform;
  /** A page in a browser context of its own, with no session. */
  open(path?: string, options?: ConsoleOptions): Promise<Page>;
  /** A page on which a sample admin has signed in by one click. */
  openAs(admin: string, path?: string, options?: ConsoleOptions): Promise<Page>;
  /** A page of an admin who is not one of the samples. */
  openAsListed(email: string, path?: string, options?: ConsoleOptions): Promise<Page>;
  /** Violations of the content security policy, and errors of scripts, on all pages so far. */
  readonly faults: string[];
  stop(): Promise<void>;
}

export async function startConsole(
  settings: Record<string, string> = {},
  platformOptions: Parameters<typeof startPlatform>[0] = {},
): Promise<ConsoleBrowser> {
  const platform = await startPlatform({
    ...platformOptions,
    settings: { PUBLIC_URL: ORIGIN, ...settings },
  });
  const { port } = new URL(platform.baseUrl);
  const browser = await chromium.launch({
    executablePath: programPath('chromium') as string,
    args: ['--no-sandbox', `--host-resolver-rules=MAP localhost:80 127.0.0.1:${port}`],
  });
  const faults: string[] = [];
  const open: ConsoleBrowser['open'] = async (path = '/console', options = {}) => {
    const page = await (await contextOf(browser, options)).newPage();
    watch(page, faults);
    await page.goto(ORIGIN + path);
    return page;
  };
  return {
    platform,
    faults,
    open,
    openAs: async (admin, path = '/console', options = {}) => {
      const page = await open(path, options);
      await page.getByRole('button', { name: admin, exact: true }).click();
      await page.getByRole('navigation').first().waitFor();
      return page;
    },
    openAsListed: async (email, path = '/console', options = {}) => {
      const page = await open('/console', options);
      await page.evaluate(signIn, email);
      await page.goto(ORIGIN + path);
      await page.getByRole('navigation').first().waitFor();
      return page;
    },
    stop: async () => {
      await browser.close();
      await platform.stop();
    },
  };
}

/** Runs in the page: opens a cookie session with a token of the sandbox's identity provider. */
async function signIn(email: string): Promise<void> {
  const tokens = await fetch(`/api/docs/identity-token?email=${encodeURIComponent(email)}`, {
    method: 'POST',
  });
  const { token } = (await tokens.json()) as { token: string };
  const signedIn = await fetch('/api/auth/idp/login', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ session: 'cookie' }),
  });
  if (!signedIn.ok) throw new Error(`sign-in of ${email}: ${signedIn.status} ${await signedIn.text()}`);
}

async function contextOf(browser: Browser, options: ConsoleOptions): Promise<BrowserContext> {
  const { scheme = 'light', width = 1280, scale = 1, locale = 'en-GB' } = options;
  const context = await browser.newContext({
    colorScheme: scheme,
    locale,
    timezoneId: 'Europe/Berlin',
    deviceScaleFactor: scale,
    viewport: { width, height: width < 600 ? 800 : 860 },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  return context;
}

function watch(page: Page, faults: string[]): void {
  void page.clock.setFixedTime(new Date(NOON));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) faults.push(message.text());
  });
}

/** The rules of WCAG 2.2 AA that axe finds violated on the page as it is. */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: unknown): Promise<{ violations: any[] }> };
    };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await axe.run({ runOnly: tags });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }: any) => `${id}: ${String(html).slice(0, 160)} ${failureSummary}`),
    );
  });
}

/** A screen that reads something for the first time: of the console, and of the page for users. */
const LOADING = 'main[aria-busy="true"], [role="status"] [class*="Loader"]';

/** Waits until a screen has its heading and has read what it shows. */
export async function loaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.evaluate(async (loading) => {
    const { document } = globalThis as unknown as { document: { querySelector(selector: string): unknown } };
    // An answer can start a further read: the page is loaded if no read runs in several turns of the event loop.
    for (let idleTurns = 0; idleTurns < 3; idleTurns++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (document.querySelector(loading)) idleTurns = -1;
    }
  }, LOADING);
}

/** Opens a path of the console and waits until its screen is loaded. */
export async function show(page: Page, path: string): Promise<void> {
  await page.goto(`${ORIGIN}/console${path}`);
  await loaded(page);
}

/** The accessible name of a button with this label, which may say what it acts on, too, such as "Revoke: Bookkeeping". */
export const labelled = (label: string): RegExp =>
  new RegExp(`^${label.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(: .*)?$`);

/** Presses a button of the page or of a part of it, enters the texts into the dialog that it opens, and confirms. */
export async function act(
  page: Page,
  button: string,
  texts: Readonly<Record<string, string>> = {},
  within: Locator = page.getByRole('main'),
): Promise<void> {
  await within.getByRole('button', { name: labelled(button) }).click();
  const dialog = page.getByRole('dialog');
  for (const [label, text] of Object.entries(texts)) {
    const field = dialog.getByLabel(label, { exact: true });
    if ((await field.evaluate((element) => element.tagName)) === 'SELECT')
      await field.selectOption({ label: text });
    else await field.fill(text);
  }
  await dialog.getByRole('button', { name: button, exact: true }).click();
}

interface Box {
  tagName: string;
  className: unknown;
  textContent: string | null;
  getBoundingClientRect(): { right: number };
}

/** Elements that reach beyond the right edge of the window. */
export const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { document, innerWidth } = globalThis as unknown as {
      document: {
        querySelectorAll(selector: string): Iterable<Box>;
        documentElement: { scrollWidth: number };
      };
      innerWidth: number;
    };
    if (document.documentElement.scrollWidth <= innerWidth) return [];
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .map(
        ({ tagName, className, textContent }) =>
          `${tagName}.${String(className)} ${textContent?.slice(0, 40)}`,
      );
  });

/** For people to look at: dist/screenshots is not part of the repository. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: new URL(`${name}.png`, SCREENSHOTS).pathname, fullPage: true });
}
