import { gzipSync } from 'node:zlib';
import type { Response } from 'playwright-core';
import { newWallet, WalletSteps } from '../fixtures/wallets.js';
import { HOSTILE_TEXTS } from './hostile-texts.js';
import { openAsUser } from './app-user.js';
import { englishTexts } from './english-texts.js';
import {
  axeViolations,
  cutOff,
  loaded,
  ORIGIN,
  startConsole,
  takeScreenshot,
  WINDOWS,
  type ConsoleBrowser,
} from './console-browser.js';

const SCREENS = [
  '',
  '/deposit',
  '/invest',
  '/withdraw',
  '/addresses',
  '/history',
  '/notifications',
  '/proof',
  '/account',
  '/security',
  '/developers',
];
const EMAIL = 'screens@example.org';
const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const MAX_SCRIPT_BYTES = 190_000;
const MAX_STYLE_BYTES = 20_000;

describe("The screens of the users' page in Chromium", () => {
  let browser: ConsoleBrowser;
  let positionId: string;
  let transactionId: string;

  beforeAll(async () => {
    browser = await startConsole();
    const caller = browser.platform.as(await browser.platform.given.user(EMAIL));
    await caller.put('/api/user/profile', { language: 'de' }); // notifications are written in it
    const user = await browser.platform.given.user(EMAIL).withBalance('2500.00');
    const investment = await caller.post('/api/user/investments', {
      strategyId: 'balanced-10',
      amount: '800.00',
    });
    positionId = investment.data.id;
    await caller.post('/api/user/withdrawals', { amount: '100.00', currency: 'USDC', toAddress: ADDRESS });
    const wallets = new WalletSteps(browser.platform);
    await wallets.connect(user, await wallets.signChallenge(newWallet()));
    await caller.post('/api/user/addresses', { label: HOSTILE_TEXTS[0], address: ADDRESS, network: 'ERC20' });
    for (const name of HOSTILE_TEXTS.slice(0, 3))
      await caller.post('/api/user/api-keys', {
        name,
        scopes: ['balance:read', 'transactions:read'],
        networks: ['203.0.113.0/24', '2001:db8::/32'],
        expiresAt: '2030-01-31T12:00:00Z',
      });
    await caller.post('/api/user/webhooks', {
      url: 'http://127.0.0.1:9/hook',
      events: ['deposit.completed'],
      description: HOSTILE_TEXTS[1],
    });
    const admin = browser.platform.as(await browser.platform.given.admin());
    for (const text of HOSTILE_TEXTS)
      await admin.post('/api/admin/announcements', {
        type: 'system',
        title: text,
        message: text,
        audience: 'all',
      });
    transactionId = (await caller.get('/api/user/transactions')).data[0].id;
  });
  afterEach(() => {
    expect(browser.faults).toEqual([]);
  });
  afterAll(() => browser?.stop());

  const screens = () => [...SCREENS, `/positions/${positionId}`, `/history/${transactionId}`];
  const nameOf = (path: string) => path.split('/')[1] || 'portfolio';

  describe.each(['light', 'dark'] as const)('in %s colours', (scheme) => {
    it('have no violation of WCAG that axe finds, on a desktop, at 200 % and at 320 px, and nothing is cut off', async () => {
      const problems: Record<string, string[]> = {};
      for (const window of WINDOWS) {
        const page = await openAsUser(browser, EMAIL, '/app', { scheme, ...window });
        for (const path of screens()) {
          await page.goto(`${ORIGIN}/app${path}`);
          await loaded(page);
          const found = [...(await axeViolations(page)), ...(await cutOff(page))];
          if (found.length > 0) problems[`${path} at ${window.width} px`] = found;
          await takeScreenshot(page, `app-${nameOf(path)}-${scheme}-${window.width}`);
        }
        await page.context().close();
      }
      expect(problems).toEqual({});
    });
  });

  it('are in German for a German browser, at 320 px without a violation of WCAG, and nothing is cut off', async () => {
    const english: Record<string, string[]> = {};
    const page = await openAsUser(browser, EMAIL, '/app', { width: 320, locale: 'de-DE' });
    for (const path of screens()) {
      await page.goto(`${ORIGIN}/app${path}`);
      await loaded(page);
      expect([path, await cutOff(page)]).toEqual([path, []]);
      const found = await englishTexts(page);
      if (found.length > 0) english[path] = found;
      await takeScreenshot(page, `app-${nameOf(path)}-german-320`);
    }
    expect(english).toEqual({});
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    expect(await axeViolations(page)).toEqual([]);
    await page.context().close();
  });

  it('show hostile texts as text, and run none of them', async () => {
    const page = await openAsUser(browser, EMAIL, '/app/notifications');
    await loaded(page);
    for (const text of HOSTILE_TEXTS) await page.getByText(text.trim(), { exact: true }).first().waitFor();
    for (const path of screens()) {
      await page.goto(`${ORIGIN}/app${path}`);
      await loaded(page);
      expect([path, await page.evaluate('globalThis.hostile')]).toEqual([path, undefined]);
    }
    await page.context().close();
  });

  it('load at most 190 kB of scripts and 20 kB of styles for the first screen, compressed', async () => {
    const sizes = { script: 0, style: 0 };
    const addSize = async (kind: 'script' | 'style', response: Response) => {
      const body = await response.body();
      sizes[kind] += gzipSync(body).length;
    };
    const bodies: Promise<void>[] = [];
    const page = await openAsUser(browser, EMAIL);
    page.on('response', (response) => {
      if (response.url().endsWith('.js')) bodies.push(addSize('script', response));
      if (response.url().endsWith('.css')) bodies.push(addSize('style', response));
    });
    await page.reload();
    await page.getByRole('table', { name: 'Positions' }).waitFor();
    await loaded(page);
    await Promise.all(bodies);
    expect(sizes.script).toBeGreaterThan(0);
    expect(sizes.script).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
    expect(sizes.style).toBeLessThanOrEqual(MAX_STYLE_BYTES);
    await page.context().close();
  });
});
