import type { Page } from 'playwright-core';
import {
  axeViolations,
  cutOff,
  show,
  startConsole,
  takeScreenshot,
  type ConsoleBrowser,
} from './console-browser.js';
import { englishTexts } from './english-texts.js';
import { DESK_SETTINGS, DeskRecords, LONG_AMOUNT } from './desk-records.js';

describe('The screens about money that moves', () => {
  let console_: ConsoleBrowser;
  const paths = new Map<string, string>();

  beforeAll(async () => {
    console_ = await startConsole(DESK_SETTINGS);
    const records = await DeskRecords.of(console_.platform);
    const { treasury, investing } = records;
    const ann = await records.user();
    const pending = await investing.create(ann, LONG_AMOUNT);
    const active = await investing.create(ann, '900.123456');
    const held = await records.heldDeposit(ann);
    const { id: requested } = (
      await treasury.create({ type: 'deposit', userId: ann.id, amount: LONG_AMOUNT })
    ).data;
    const { id: transfer } = await treasury.transferWithRequest(LONG_AMOUNT);
    await records.waitingReport();
    const compared = await records.reconciliationWithBreak();
    for (const [name, path] of [
      ['investments', '/investments'],
      ['investments-active', '/investments?tab=active'],
      ['investments-none', '/investments?tab=completed'],
      ['investment-pending', `/investments/${pending}`],
      ['investment-active', `/investments/${active}`],
      ['deposits', '/deposits'],
      ['deposit-held', `/deposits/${held}`],
      ['transactions', '/transactions'],
      ['transaction-requested', `/transactions/${requested}`],
      ['transaction-transfer', `/transactions/${transfer}`],
      ['treasury', '/treasury'],
      ['reconciliations', '/reconciliation'],
      ['reconciliation', `/reconciliation/${compared}`],
      ['yield-reports', '/yield-reports'],
      ['strategies', '/strategies'],
    ] as const)
      paths.set(name, path);
  });
  afterAll(() => console_?.stop());

  it.each(['light', 'dark'] as const)(
    'violate no rule of WCAG 2.2 AA that axe knows, in %s colours, on a desktop and at 320 pixels without scrolling sideways',
    async (scheme) => {
      const faults: string[] = [];
      for (const width of [1280, 320]) {
        const page = await console_.openAs('admin', '/console', { scheme, width });
        for (const [name, path] of paths) {
          await show(page, path);
          await takeScreenshot(page, `desk-${name}-${scheme}-${width}`);
          for (const violation of await axeViolations(page)) faults.push(`${name} ${width}: ${violation}`);
          for (const element of await cutOff(page)) faults.push(`${name} ${width}: ${element} is cut off`);
        }
        await page.context().close();
      }
      expect(faults).toEqual([]);
      expect(console_.faults).toEqual([]);
    },
  );

  it('are in German for a German browser, and the longer words fit into the tables on a desktop', async () => {
    const page = await console_.openAs('admin', '/console/investments', { locale: 'de-DE' });
    await page.getByRole('heading', { name: 'Investitionen' }).waitFor();
    const wider: string[] = [];
    const english: Record<string, string[]> = {};
    for (const [name, path] of paths) {
      await show(page, path);
      await takeScreenshot(page, `desk-${name}-german`);
      const found = await englishTexts(page);
      if (found.length > 0) english[name] = found;
      const frames = page.locator('.table-frame');
      for (const width of await frames.evaluateAll((all) =>
        all.map((frame) => frame.scrollWidth - frame.clientWidth),
      ))
        if (width > 0) wider.push(`${name}: ${width} px`);
    }
    expect(wider).toEqual([]);
    expect(english).toEqual({});
  });

  it('are those that the role may open, and a disabled button says which permission is missing', async () => {
    const mayOpen = async (page: Page, path: string) => {
      await show(page, path);
      return !(await page.getByRole('heading', { name: 'No such screen' }).isVisible());
    };
    const opened: Record<string, string[]> = {};
    for (const role of ['operator', 'support', 'readonly']) {
      const page = await console_.openAs(role);
      opened[role] = [];
      for (const path of [
        'investments',
        'deposits',
        'transactions',
        'treasury',
        'reconciliation',
        'yield-reports',
        'strategies',
      ])
        if (await mayOpen(page, `/${path}`)) opened[role].push(path);
      await page.context().close();
    }
    expect(opened).toEqual({
      operator: ['investments', 'strategies'],
      support: ['investments', 'deposits', 'transactions', 'treasury', 'reconciliation', 'strategies'],
      readonly: ['strategies'],
    });
    const support = await console_.openAs('support');
    await show(support, paths.get('investment-pending') as string);
    await support.getByText('You may only read investments.').waitFor();
    const approve = support.getByRole('button', { name: 'Approve', exact: true });
    expect(await approve.getAttribute('aria-disabled')).toBe('true');
    await support.keyboard.press('a');
    expect(await support.getByRole('dialog').count()).toBe(0);
  });

  it('keep filters, order and page in the address', async () => {
    const page = await console_.openAs('admin', '/console/deposits');
    await page.getByLabel('Held').selectOption({ label: 'Held: below the minimum' });
    await page.waitForURL(/hold=BELOW_MINIMUM/);
    await page.getByRole('button', { name: /^Amount/ }).click();
    await page.waitForURL(/sort=amount/);
    await page.reload();
    await page.locator('[data-row]').first().waitFor();
    expect(await page.getByLabel('Held').inputValue()).toBe('BELOW_MINIMUM');
    await page.locator('[data-row]').getByRole('link').first().click();
    await page.getByRole('link', { name: '← Deposits' }).click();
    await page.waitForURL(/hold=BELOW_MINIMUM/);
  });
});
