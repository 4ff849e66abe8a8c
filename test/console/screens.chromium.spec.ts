import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { uniqueAmount } from '../fixtures/approval-requests.js';
import { withdrawalSteps } from '../fixtures/withdrawals.js';
import { englishTexts } from './english-texts.js';
import {
  axeViolations,
  cutOff,
  ORIGIN,
  show,
  startConsole,
  takeScreenshot,
  WINDOWS,
  type ConsoleBrowser,
} from './console-browser.js';

/** Texts that would run or leave their place if the page took them for HTML, and long ones. */
const HOSTILE = [
  `<img src=x onerror="document.title='hostile'">`,
  `"><script>document.title='hostile'</script>`,
  'javascript:document.title="hostile"',
  '\u202Egpj.exe',
  'x'.repeat(300),
];
const KILOBYTE = 1000;

describe('The screens of the console', () => {
  let console_: ConsoleBrowser;
  const paths = new Map<string, string>();

  beforeAll(async () => {
    console_ = await startConsole();
    const { platform } = console_;
    const steps = await withdrawalSteps(platform);
    const { id } = await steps.createPending('1234.56');
    const { id: taken, ann } = await steps.createProcessing('87.65');
    for (const reason of HOSTILE) await steps.reject((await steps.createPending(uniqueAmount())).id, reason);
    const admin = await platform.given.admin('admin2');
    for (const [index, reason] of HOSTILE.entries()) {
      const { id: userId } = await platform.given.user();
      const body = { email: `new-${index}-${userId}@example.org`, reason };
      const reply = await platform.as(admin).put(`/api/admin/users/${userId}`, body);
      expect(reply.status).toBe(202);
    }
    for (const [name, path] of [
      ['withdrawals', '/withdrawals'],
      ['withdrawal-pending', `/withdrawals/${id}`],
      ['withdrawal-taken', `/withdrawals/${taken}`],
      ['withdrawals-rejected', '/withdrawals?tab=rejected'],
      ['approvals', '/approvals'],
      ['alerts', '/alerts'],
      ['users', '/users'],
      ['user', `/users/${ann.id}`],
      ['overview', '/overview'],
      ['unknown', '/unknown'],
    ] as const)
      paths.set(name, path);
  });
  afterAll(() => console_?.stop());

  /** Opens each screen in turn, and calls `visit` when it is loaded. */
  async function eachScreen(page: Page, visit: (name: string) => Promise<void>): Promise<void> {
    for (const [name, path] of paths) {
      await show(page, path);
      await visit(name);
    }
  }

  it.each(['light', 'dark'] as const)(
    'violate no rule of WCAG 2.2 AA that axe knows, in %s colours, on a desktop, at 200 % and at 320 px, and nothing is cut off',
    async (scheme) => {
      const violations: string[] = [];
      for (const window of WINDOWS) {
        const page = await console_.openAs('admin', '/console', { scheme, ...window });
        await eachScreen(page, async (name) => {
          await takeScreenshot(page, `${name}-${scheme}-${window.width}`);
          for (const violation of [...(await axeViolations(page)), ...(await cutOff(page))])
            violations.push(`${name} ${window.width}: ${violation}`);
        });
        await page.context().close();
      }
      expect(violations).toEqual([]);
    },
  );

  it('violate no rule of WCAG that axe knows before the sign-in, nor with an open dialog', async () => {
    const page = await console_.open('/console');
    await page.getByRole('button', { name: 'admin', exact: true }).waitFor();
    await takeScreenshot(page, 'sign-in-light');
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'admin', exact: true }).click();
    await page.getByRole('navigation').first().waitFor();
    await page.goto(`${ORIGIN}/console${paths.get('withdrawal-taken')}`);
    await page.getByRole('button', { name: 'Complete' }).click();
    await page.getByLabel('Hash of the transfer').waitFor();
    await takeScreenshot(page, 'dialog-light');
    expect(await axeViolations(page)).toEqual([]);
  });

  it('show hostile texts as texts, and break no rule of the content security policy [SEC-621]', async () => {
    const page = await console_.openAs('admin', '/console/approvals');
    for (const text of HOSTILE) {
      const shown = text.replace('\u202E', '⟨U+202E⟩');
      await page.getByText(shown, { exact: true }).first().waitFor();
    }
    await eachScreen(page, async () => expect(await page.title()).not.toBe('hostile'));
    expect(console_.faults).toEqual([]);
  });

  it('are in German for a German browser, with German for everything that the service writes', async () => {
    const page = await console_.openAs('admin', '/console/withdrawals', { locale: 'de-DE' });
    await page.getByRole('heading', { name: 'Auszahlungen' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await takeScreenshot(page, 'german');
    const english: Record<string, string[]> = {};
    await eachScreen(page, async (name) => {
      const found = await englishTexts(page);
      if (found.length > 0) english[name] = found;
    });
    expect(english).toEqual({});
    await page.goto(`${ORIGIN}/console/withdrawals/0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11`);
    await page.getByText('Diese Auszahlung gibt es nicht').waitFor();
  });

  it('load at most 190 kB of scripts and 20 kB of styles for the first one, and at most 60 kB in any other file', () => {
    const assets = new URL('../../dist/console/assets/', import.meta.url);
    const sizeOf = (name: string) => readFileSync(new URL(`${name}.gz`, assets)).length / KILOBYTE;
    const html = readFileSync(new URL('../../dist/console/console.html', import.meta.url), 'utf8');
    const first = [...html.matchAll(/\/console\/assets\/([\w.-]+\.(?:js|css))"/g)].map(
      ([, name]) => name as string,
    );
    for (const suffix of ['.js', '.css'])
      expect(first.filter((name) => name.endsWith(suffix))).not.toEqual([]);
    const sum = (names: string[], suffix: string) =>
      names.filter((name) => name.endsWith(suffix)).reduce((total, name) => total + sizeOf(name), 0);
    expect(sum(first, '.js')).toBeLessThan(190);
    expect(sum(first, '.css')).toBeLessThan(20);
    const others = readdirSync(assets).filter((name) => /\.(js|css)$/.test(name) && !first.includes(name));
    for (const name of others) expect([name, sizeOf(name) < 60]).toEqual([name, true]);
  });
});
