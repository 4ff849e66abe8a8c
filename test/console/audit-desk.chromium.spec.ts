import type { Page } from 'playwright-core';
import { DAY_MS } from '../../src/common/durations.js';
import { HISTORY_LAST_CLOSED } from '../fixtures/audit-history.js';
import { inDialog, section, startAuditDesk, type AuditDesk } from './audit-desk.js';
import { axeViolations, cutOff, show, takeScreenshot } from './console-browser.js';
import { englishTexts } from './english-texts.js';

describe('The screens of those who check, in the console', () => {
  let desk: AuditDesk;

  beforeAll(async () => {
    desk = await startAuditDesk();
  });
  afterEach(() => {
    expect(desk.faults).toEqual([]);
  });
  afterAll(() => desk?.stop());

  const screens = () =>
    [
      ['audit', '/audit'],
      ['integrity', '/integrity'],
      ['log', '/log'],
      ['log-days', `/log?tab=days&day=${HISTORY_LAST_CLOSED}`],
      ['log-pack', '/log?tab=pack'],
      ['proof', `/proof/${desk.transactions[0]?.id}`],
      ['books', '/books'],
      ['books-balance', '/books?tab=balance'],
      ['books-result', '/books?tab=result'],
      ['books-account', `/books/${desk.accountId}`],
      ['reports-users', '/reports'],
      ['reports-investments', '/reports?tab=investments'],
      ['reports-revenue', '/reports?tab=revenue'],
      ['announcements', '/announcements'],
      ['callbacks', '/callbacks'],
      ['callback', `/callbacks/${desk.callbackId}`],
      ['events', '/events'],
      ['status', '/status'],
    ] as const;

  describe.each(['light', 'dark'] as const)('in %s colours', (scheme) => {
    it.each([1280, 320])('violate no rule that axe knows and cut nothing off at %d pixels', async (width) => {
      const page = await desk.openAs('admin', '/console/status', { scheme, width });
      const problems: Record<string, string[]> = {};
      for (const [name, path] of screens()) {
        await show(page, path);
        const found = [...(await axeViolations(page)), ...(await cutOff(page))];
        if (found.length > 0) problems[name] = found;
        await takeScreenshot(page, `desk-${name}-${scheme}-${width}`);
      }
      await page.context().close();
      expect(problems).toEqual({});
    });
  });

  it('lead from the coverage on the overview to the screen that shows the assets, the debts and the difference', async () => {
    const page = await desk.openAs('admin', '/console/overview');
    const tile = page.locator('.tile').filter({ hasText: 'Owed in USDC' });
    await tile.getByText(/, missing [\d,.]+ USDC/).waitFor();
    await takeScreenshot(page, 'desk-overview');
    await tile.getByRole('link', { name: /covered$/ }).click();
    const coverage = section(page, /^Coverage at the end of/);
    await coverage
      .getByRole('row', { name: /^Missing [\d,.]+ USDC What is owed in USDC includes/ })
      .waitFor();
    await takeScreenshot(page, 'desk-coverage');
    await page.context().close();
  });

  /** Checks the invariants, so that the screen shows the names and sentences of all of them. */
  async function checkInvariants(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Jetzt prüfen' }).click();
    await inDialog(page, 'Jetzt prüfen').click();
    await section(page, 'Ergebnis der Prüfung').getByText('trial-balance').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }

  it('are in German for a German browser, cut nothing off at 320 pixels, and bring their link into view', async () => {
    const page = await desk.openAs('admin', '/console/status', { width: 320, locale: 'de-DE' });
    const navigation = page.getByRole('navigation', { name: 'Bereiche' });
    const problems: Record<string, string[]> = {};
    for (const [name, path] of screens()) {
      await show(page, path);
      if (name === 'integrity') await checkInvariants(page);
      const found = [...(await cutOff(page)), ...(await englishTexts(page))];
      const link = await navigation.locator('[aria-current]').boundingBox();
      if (!link || link.x < 0 || link.x + link.width > 320) found.push(`its link is at ${link?.x}`);
      if (found.length > 0) problems[name] = found;
      await takeScreenshot(page, `desk-${name}-german-320`);
    }
    await show(page, '/audit?action=withdrawal.reject');
    await page.getByRole('heading', { name: 'Auszahlung: abgelehnt' }).first().waitFor();
    await page.context().close();
    expect(problems).toEqual({});
  });

  it('say of a day that is not closed yet that there are no figures of its coverage', async () => {
    desk.platform.clock.advance(DAY_MS); // no job closes the day before
    const page = await desk.openAs('admin', '/console/treasury');
    await section(page, /^Coverage at the end of 31/)
      .getByText('No figures of this day yet')
      .waitFor();
    await takeScreenshot(page, 'desk-coverage-not-closed');
    await page.context().close();
  });
});
