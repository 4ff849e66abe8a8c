import type { Page } from 'playwright-core';
import { OPERATORS_OWN, uniqueAmount } from '../fixtures/approval-requests.js';
import { withdrawalSteps, type WithdrawalSteps } from '../fixtures/withdrawals.js';
import { ORIGIN, startConsole, takeScreenshot, type ConsoleBrowser } from './console-browser.js';

describe('A completion that the chain contradicts, in the console', () => {
  let console_: ConsoleBrowser;
  let steps: WithdrawalSteps;
  let id: string;
  let operator: Page;

  beforeAll(async () => {
    console_ = await startConsole();
    steps = await withdrawalSteps(console_.platform);
    const amount = uniqueAmount();
    id = (await steps.createPending(amount)).id;
    await steps.take(id, await console_.platform.given.admin('operator'));
    operator = await console_.openAs('operator', `/console/withdrawals/${id}`);
    await operator.getByRole('main').getByRole('button', { name: 'Complete', exact: true }).click();
    const txHash = await console_.platform.outside.chain.payUsdc(OPERATORS_OWN, amount);
    await operator.getByRole('dialog').getByLabel('Hash of the transfer').fill(txHash);
    await operator.keyboard.press('Enter');
  });
  afterEach(() => {
    expect(console_.faults).toEqual([]);
  });
  afterAll(() => console_?.stop());

  const requestOn = (page: Page) =>
    page.getByRole('article').filter({
      has: page.getByRole('heading', { name: /^Complete a withdrawal that the chain contradicts/ }),
    });

  it('is shown as waiting and not as done, and cannot be requested again', async () => {
    await operator.getByText('Waits for the approval of a second admin. Nothing has changed yet.').waitFor();
    await operator.getByText('which operator@example.com has requested').waitFor();
    await operator.getByRole('dialog').waitFor({ state: 'detached' });
    const complete = operator.getByRole('main').getByRole('button', { name: 'Complete', exact: true });
    expect(await complete.getAttribute('aria-disabled')).toBe('true');
    await operator.keyboard.press('c');
    await operator.keyboard.press('?'); // opens another dialog only if the first key has opened none
    await operator.getByRole('dialog').getByText('Show this list').waitFor();
    await operator.keyboard.press('Escape');
    await operator.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await operator.getByText('Pay exactly this').count()).toBe(0);
    expect((await steps.detail(id)).status).toBe('processing');
    await takeScreenshot(operator, 'waiting');
  });

  it('can be withdrawn by its requester, who cannot approve it', async () => {
    const page = await operator.context().newPage();
    await page.goto(`${ORIGIN}/console/approvals?tab=mine`);
    const mine = requestOn(page);
    await mine.getByRole('button', { name: 'Withdraw the request', exact: true }).waitFor();
    expect(await mine.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
    await page.close();
  });

  it('is made when a second admin approves the change as it is shown, and the requester sees it at once', async () => {
    const admin = await console_.openAs('admin2', '/console/approvals');
    await requestOn(admin).waitFor();
    await takeScreenshot(admin, 'approval');
    const change = requestOn(admin);
    await change.getByRole('button', { name: 'Approve', exact: true }).click();
    await admin.getByRole('dialog').getByLabel('Note (optional)').fill('Talked to the operator');
    await admin.keyboard.press('Enter');
    await admin.getByText('Approved: the change was made').waitFor();
    await operator.getByText('Chain contradicts', { exact: true }).waitFor();
    await operator.getByText('it has no transfer of the amount to the address').first().waitFor();
    expect((await steps.detail(id)).status).toBe('completed');
    await admin.getByText('Nothing waits for you.').waitFor();
  });

  it('raises an alert with the next step, which an admin without a part in it resolves', async () => {
    const involved = await console_.openAs('admin2', '/console/alerts');
    const resolve = async (page: Page) => {
      await page
        .getByRole('article')
        .filter({ hasText: id })
        .getByRole('button', { name: 'Resolve', exact: true })
        .click();
      await page.getByLabel('What was done?').fill('The transfer was paid back');
      await page.keyboard.press('Enter');
    };
    await involved.getByText('Next step:').first().waitFor();
    await takeScreenshot(involved, 'alert');
    await resolve(involved);
    await involved.getByText('FOUR_EYES_REQUIRED').waitFor();
    const third = await console_.openAs('admin', '/console/alerts');
    await resolve(third);
    await third.getByText('The alert is resolved').waitFor();
    await third.getByRole('link', { name: 'Resolved' }).click();
    await third.getByText('The transfer was paid back').waitFor();
  });
});
