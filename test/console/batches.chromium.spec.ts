import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { AdminSignIns } from '../fixtures/admin-sign-ins.js';
import { DESTINATION, withdrawalSteps, type WithdrawalSteps } from '../fixtures/withdrawals.js';
import { enterCode, signInWithCode } from './admin-codes.js';
import {
  axeViolations,
  cutOff,
  startConsole,
  takeScreenshot,
  WINDOWS,
  type ConsoleBrowser,
} from './console-browser.js';

describe('An operator who decides about several withdrawals in the console', () => {
  let console_: ConsoleBrowser;
  let steps: WithdrawalSteps;

  beforeAll(async () => {
    console_ = await startConsole();
    steps = await withdrawalSteps(console_.platform);
  });
  afterEach(() => {
    expect(console_.faults).toEqual([]);
  });
  afterAll(() => console_?.stop());

  const rowOf = (page: Page, id: string) => page.locator(`[data-row="${id}"]`);
  const dialogOf = (page: Page) => page.getByRole('dialog');
  const itemOf = (page: Page, id: string) => dialogOf(page).locator(`[data-item="${id}"]`);
  const confirm = (page: Page, name: string) =>
    dialogOf(page).getByRole('button', { name, exact: true }).click();
  const pay = (amount: string) => console_.platform.outside.chain.payUsdc(DESTINATION, amount);

  /** Withdrawals of new users, which the operator of the sandbox has taken. */
  async function takenByOperator(...amounts: string[]): Promise<string[]> {
    const operator = await console_.platform.given.admin('operator');
    const ids: string[] = [];
    for (const amount of amounts) {
      const { id } = await steps.createPending(amount);
      await steps.take(id, operator);
      ids.push(id);
    }
    return ids;
  }

  async function select(page: Page, ids: readonly string[]): Promise<void> {
    for (const id of ids) await rowOf(page, id).getByRole('checkbox').check();
    await page
      .getByRole('status')
      .filter({ hasText: `${ids.length} selected` })
      .waitFor();
  }

  it('saves a payment file, pastes it back with hashes, and reads the outcome of each payment', async () => {
    const ids = await takenByOperator('201.00', '202.00', '203.00');
    const [paid, other, unpaid] = ids as [string, string, string];
    const page = await console_.openAs('operator', '/console/withdrawals?tab=processing');
    await page.getByRole('button', { name: 'Payment file' }).click();
    const download = page.waitForEvent('download');
    await confirm(page, 'Save the file');
    const file = readFileSync(await (await download).path(), 'utf8');
    const [header, ...lines] = file.trim().split(/\r?\n/);
    expect(header).toMatch(/^id,amount,/);

    await dialogOf(page).waitFor({ state: 'detached' });
    await select(page, ids);
    await page.getByRole('button', { name: 'Complete the 3 selected' }).click();
    const hashes = new Map([
      [paid, await pay('201.00')],
      [other, await pay('999.00')], // another amount: the chain contradicts it
    ]);
    const pasted = lines.map((line) => `${line},${hashes.get(line.split(',')[0] as string) ?? ''}`);
    await dialogOf(page)
      .getByLabel('Lines with id and hash')
      .fill([header, ...pasted].join('\n'));
    await dialogOf(page).getByText('Not read, without one id and one hash: line 1').waitFor();
    await dialogOf(page)
      .getByText('Payments: 2, together 403.00 USDC. Without a hash, left as they are: 1.')
      .waitFor();
    await confirm(page, 'Complete 2');
    await itemOf(page, paid).getByText('done', { exact: true }).waitFor();
    await itemOf(page, other).getByText('Waits for the approval of a second admin').waitFor();
    await dialogOf(page).getByText('Done: 1. Refused or waiting: 1.').waitFor();
    await takeScreenshot(page, 'batch-outcomes');

    await confirm(page, 'Back');
    await rowOf(page, paid).waitFor({ state: 'detached' });
    for (const id of [other, unpaid])
      expect(await rowOf(page, id).getByRole('checkbox').isChecked()).toBe(true);
    expect(await steps.detail(paid)).toMatchObject({
      status: 'completed',
      chainCheck: 'matched',
      completedBy: 'operator@example.com',
    });
    for (const id of [other, unpaid]) expect((await steps.detail(id)).status).toBe('processing');
  });

  it('enters a hash in the field of a row, corrects a malformed one, and reads of an unknown id that it was not taken', async () => {
    const [id] = (await takenByOperator('204.00')) as [string];
    const foreign = (await steps.createProcessing('205.00')).id;
    const page = await console_.openAs('operator', '/console/withdrawals?tab=processing');
    await page.getByRole('button', { name: 'Enter payments' }).click();
    const hash = await pay('204.00');
    const unknown = '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11';
    await dialogOf(page)
      .getByLabel('Lines with id and hash')
      .fill(`${id};${hash}\n${unknown} ${hash}\n${foreign}`);
    await itemOf(page, unknown).getByText('You have not taken it').waitFor();
    await itemOf(page, unknown).getByRole('textbox').fill('');
    await itemOf(page, id).getByRole('textbox').fill('0x12');
    await itemOf(page, id).getByText('A hash has 64 hex digits').waitFor();
    const button = dialogOf(page).getByRole('button', { name: 'Complete 1', exact: true });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await itemOf(page, id).getByRole('textbox').fill(hash);
    await button.click();
    await dialogOf(page).waitFor({ state: 'detached' });
    expect((await steps.detail(id)).status).toBe('completed');
    expect((await steps.detail(foreign)).status).toBe('processing');
  });

  it('rejects the selected ones for one reason by the keyboard, and shows which was refused', async () => {
    const rejected = await steps.createPending('206.00');
    const cancelled = await steps.createPending('207.00');
    const page = await console_.openAs('operator', '/console/withdrawals?order=desc');
    for (const { id } of [rejected, cancelled]) {
      await rowOf(page, id).getByRole('link').first().focus();
      await page.keyboard.press('x');
    }
    await page.getByRole('button', { name: 'Reject the 2 selected' }).focus();
    await page.keyboard.press('Enter');
    await dialogOf(page).getByLabel('Reason').fill('The address is on a list');
    await steps.cancel(cancelled.id, cancelled.ann);
    await page.keyboard.press('Enter');
    await itemOf(page, rejected.id).getByText('done', { exact: true }).waitFor();
    await dialogOf(page).getByText('Done: 1. Refused or waiting: 1.').waitFor();
    await takeScreenshot(page, 'batch-reject');
    expect(await steps.detail(rejected.id)).toMatchObject({
      status: 'rejected',
      note: 'The address is on a list',
    });
  });

  it.each(['light', 'dark'] as const)(
    'finds dialogs that violate no rule of WCAG 2.2 AA and cut nothing off, in %s colours, on desktop and phone, in German',
    async (scheme) => {
      const ids = await takenByOperator('209.123456', '210.00');
      for (const window of WINDOWS) {
        const options = { scheme, locale: 'de-DE', ...window };
        const page = await console_.openAs('operator', '/console/withdrawals?tab=processing', options);
        for (const id of ids) await rowOf(page, id).getByRole('checkbox').check();
        for (const [name, button] of [
          ['complete', '2 ausgewählte abschließen'],
          ['reject', '2 ausgewählte ablehnen'],
          ['file', 'Zahlungsdatei'],
        ] as const) {
          await page.getByRole('button', { name: button }).click();
          await dialogOf(page).waitFor();
          await takeScreenshot(page, `batch-${name}-${scheme}-${window.width}`);
          const problems = [...(await axeViolations(page)), ...(await cutOff(page))];
          expect([name, window, problems]).toEqual([name, window, []]);
          await page.keyboard.press('Escape');
          await dialogOf(page).waitFor({ state: 'detached' });
        }
        await page.context().close();
      }
    },
  );
});

describe('An operator with one-time codes who enters several payments', () => {
  let console_: ConsoleBrowser;

  beforeAll(async () => {
    console_ = await startConsole();
  });
  afterAll(() => console_?.stop());

  it('confirms exactly this list with one code', async () => {
    const { platform } = console_;
    const steps = await withdrawalSteps(platform);
    const app = await (await AdminSignIns.of(platform, undefined, ['operator'])).addTotp();
    const ids: string[] = [];
    for (const amount of ['211.00', '212.00']) {
      const { id } = await steps.createPending(amount);
      await steps.take(id, app.user);
      ids.push(id);
    }
    const page = await console_.open('/console/withdrawals?tab=processing');
    await signInWithCode(page, app);
    await page.getByRole('button', { name: 'Enter payments' }).click();
    const lines: string[] = [];
    for (const [index, amount] of ['211.00', '212.00'].entries())
      lines.push(`${ids[index]},${await platform.outside.chain.payUsdc(DESTINATION, amount)}`);
    await page.getByLabel('Lines with id and hash').fill(lines.join('\n'));
    await page.getByRole('button', { name: 'Complete 2', exact: true }).click();
    await page.getByRole('heading', { name: 'Confirm with your second factor' }).waitFor();
    await enterCode(page, app);
    await page.getByRole('dialog').first().waitFor({ state: 'detached' });
    for (const id of ids) {
      const { status, completedBy } = await steps.detail(id);
      expect([status, completedBy]).toEqual(['completed', app.user.email]);
    }
    expect(console_.faults).toEqual([]);
  });
});
