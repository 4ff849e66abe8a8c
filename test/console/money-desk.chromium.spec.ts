import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { SANDBOX_SETTINGS } from '../../src/sandbox/sandbox-settings.js';
import type { AdminInvestmentSteps } from '../fixtures/admin-investments.js';
import { AdminSignIns } from '../fixtures/admin-sign-ins.js';
import type { TreasurySteps } from '../fixtures/treasury.js';
import { enterCode, signInWithCode } from './admin-codes.js';
import { act, ORIGIN, startConsole, takeScreenshot, type ConsoleBrowser } from './console-browser.js';
import { DESK_SETTINGS, DeskRecords, LONG_AMOUNT } from './desk-records.js';

const HOSTILE = `<img src=x onerror="document.title='hostile'">`;

const cardOf = (page: Page, heading: string | RegExp) =>
  page.getByRole('article').filter({ has: page.getByRole('heading', { name: heading }) });

/** Approves the change with this heading on the screen of approvals. */
async function approveChange(page: Page, heading: RegExp): Promise<void> {
  await act(page, 'Approve', {}, cardOf(page, heading));
  await page.getByText('Approved: the change was made').waitFor();
}

describe('The screens about money that moves, in use,', () => {
  let console_: ConsoleBrowser;
  let records: DeskRecords;
  let treasury: TreasurySteps;
  let investing: AdminInvestmentSteps;

  beforeAll(async () => {
    console_ = await startConsole(DESK_SETTINGS);
    records = await DeskRecords.of(console_.platform);
    ({ treasury, investing } = records);
  });
  afterEach(() => {
    expect(console_.faults).toEqual([]);
  });
  afterAll(() => console_?.stop());

  const rowOf = (page: Page, id: string) => page.locator(`[data-row="${id}"]`);
  const goTo = (page: Page, path: string) => page.goto(`${ORIGIN}/console${path}`);

  it('lead an operator from the sign-in to an approved and a rejected investment', async () => {
    const approved = await investing.createForNewUser('1000.123456');
    const rejected = await investing.createForNewUser('2000.00');
    const page = await console_.open();
    await page.getByRole('button', { name: 'operator', exact: true }).click();
    await page.getByRole('link', { name: 'Investments', exact: true }).click();
    await rowOf(page, approved.id).getByRole('link').click();
    await page.getByRole('heading', { name: `Investment of ${approved.ann.email}` }).waitFor();
    await page.keyboard.press('a');
    await page.getByRole('dialog').getByText('earns from the next day on').waitFor();
    await takeScreenshot(page, 'desk-investment-approve');
    await page.keyboard.press('Enter');
    await page.getByText('Approved: it earns from the next day on').waitFor();
    expect((await investing.adminDetail(approved.id)).status).toBe('active');
    await act(page, 'Close', { 'Part of the price (optional)': '100.5' });
    await page.getByText('USDC were paid out').waitFor();
    expect((await investing.adminDetail(approved.id)).closedParts.count).toBe(1);

    await page.getByRole('link', { name: '← Investments' }).click();
    await rowOf(page, rejected.id).getByRole('link').click();
    await act(page, 'Reject', { Reason: HOSTILE });
    await page.getByText('Rejected: the amount is available again').waitFor();
    await page.getByText(HOSTILE).first().waitFor();
    expect((await investing.adminDetail(rejected.id)).status).toBe('cancelled');
    expect(await page.title()).not.toBe('hostile');
  });

  it('tell an admin that a colleague was faster, and do not carry out the late action', async () => {
    const { id } = await investing.createForNewUser('1500.00');
    const page = await console_.openAs('operator', `/console/investments/${id}`);
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('Too late');
    await investing.approve(id);
    await page.keyboard.press('Enter');
    await page.getByText('A colleague was faster').waitFor();
    await page.getByText('admin@example.com has changed it').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Close', exact: true }).waitFor();
    expect((await investing.adminDetail(id)).status).toBe('active');
  });

  it('explain a held deposit, and let an admin request that a credited one is taken back', async () => {
    const ann = await records.user();
    const held = await records.heldDeposit(ann);
    const page = await console_.openAs('admin', `/console/deposits?hold=BELOW_MINIMUM`);
    await rowOf(page, held).getByRole('link').click();
    await page.getByText('nothing can be released by hand').waitFor();
    await page.getByRole('link', { name: 'show', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Deposit' }).waitFor();
    await takeScreenshot(page, 'desk-transaction-of-deposit');
    await page.getByRole('link', { name: `deposit ${held}` }).click();
    await page.getByText('nothing can be released by hand').waitFor();
    expect(await page.getByRole('button', { name: 'Take back' }).count()).toBe(0);
    await goTo(page, `/deposits?status=completed&user=${ann.id}`);
    await page.locator('[data-row]').getByRole('link').first().click();
    await act(page, 'Take back', { 'Amount in USDC': '10.5', 'Why is it booked?': 'It never arrived' });
    await page.getByText('Requested: waits for the approval of a second admin.').waitFor();
    expect((await treasury.balance(ann)).available).toBe('200000.00');
  });

  it('tell a cancelled withdrawal from a failed one, and name its transaction without reading others', async () => {
    const ann = await records.user();
    const { id } = (await treasury.withdrawals.request(ann, '20.00')).data;
    await treasury.withdrawals.cancel(id, ann);
    const page = await console_.openAs('admin', `/console/transactions?user=${ann.id}`);
    await page.getByRole('table').getByText('Cancelled', { exact: true }).waitFor();
    expect(await page.getByRole('table').getByText('Failed', { exact: true }).count()).toBe(0);
    await takeScreenshot(page, 'desk-transactions-cancelled');
    const details: string[] = [];
    page.on('request', (request) => {
      if (/\/api\/admin\/transactions\/./.test(request.url())) details.push(request.url());
    });
    await goTo(page, `/withdrawals/${id}`);
    const link = page.getByRole('link', { name: 'show', exact: true });
    await link.waitFor();
    expect(details).toEqual([]);
    await link.click();
    await page.getByRole('link', { name: `withdrawal ${id}` }).waitFor();
    await page.getByText('Cancelled', { exact: true }).waitFor();
  });

  it('lead from the request of a transaction by hand over another admin’s approval to its booking', async () => {
    const ann = await records.user();
    const admin = await console_.openAs('admin', '/console/transactions');
    await act(admin, 'Book by hand', {
      User: ann.email,
      'Amount in USDC': LONG_AMOUNT,
      'Why is it booked?': HOSTILE,
    });
    await admin.getByText('Requested: waits for the approval of a second admin.').waitFor();
    await goTo(admin, `/transactions?status=pending&user=${ann.id}`);
    await admin.locator('[data-row]').getByRole('link').click();
    await admin.getByText('Another admin has to approve what you have requested.').waitFor();
    const approve = admin.getByRole('button', { name: 'Approve', exact: true });
    expect(await approve.getAttribute('aria-disabled')).toBe('true');
    const path = new URL(admin.url()).pathname.replace('/console', '');

    const second = await console_.openAs('admin2', `/console${path}`);
    await act(second, 'Approve');
    await second.getByText('Approved: it can be carried out now').waitFor();
    await goTo(admin, path);
    await act(admin, 'Confirm');
    await admin.getByText('Confirmed by').waitFor();
    expect((await treasury.balance(ann)).available).toBe('323456.123456'); // 200,000.00 and LONG_AMOUNT
    expect(await admin.title()).not.toBe('hostile');
  });

  it('lead from an approved transfer to the payment that the chain shows', async () => {
    const id = await treasury.createApproved({ type: 'transfer', amount: '250.000001' });
    const page = await console_.openAs('admin', '/console/treasury');
    await act(page, 'Create requests');
    await page.getByText(/Requests created: \d/).waitFor();
    const { requestId } = (await treasury.detail(id)).byAdmins;
    await rowOf(page, requestId).getByRole('button', { name: 'Complete', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('250.000001 USDC').waitFor();
    await takeScreenshot(page, 'desk-transfer');
    const paid = console_.platform.outside.chain.payUsdc(SANDBOX_SETTINGS.CUSTODY_ADDRESS, '250.000001');
    await dialog.getByLabel('Hash of the transfer').fill(await paid);
    await dialog.getByRole('button', { name: 'Complete', exact: true }).click();
    await page.getByText('Booked. Chain: On chain').waitFor();
    expect((await treasury.detail(id)).status).toBe('confirmed');
  });

  it('lead from a statement over its break to the resolution that another admin confirms', async () => {
    const day = console_.platform.clock.today();
    const page = await console_.openAs('admin', '/console/reconciliation');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    const dialog = page.getByRole('dialog');
    for (const label of ['First day (UTC)', 'Last day (UTC)']) await dialog.getByLabel(label).fill(day);
    const csv = `reference,amount,currency,direction,date\nS-${randomUUID()},31.123456,USDC,out,${day}\n`;
    await dialog
      .getByLabel('Statement as CSV')
      .setInputFiles({ name: 'statement.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await takeScreenshot(page, 'desk-compare');
    const answered = page.waitForResponse(
      (response) =>
        response.url().endsWith('/api/admin/reconciliations') && response.request().method() === 'POST',
    );
    await dialog.getByRole('button', { name: 'Compare', exact: true }).click();
    const { id } = (await (await answered).json()).data;
    await page.getByText(/Compared\. Breaks to resolve: \d+/).waitFor();
    await rowOf(page, id).getByRole('link').click();
    const lineOf = (of: Page) => of.getByRole('article').filter({ hasText: '31.123456' });
    const line = lineOf(page);
    await line.getByRole('button', { name: 'Assign', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Assign', exact: true }).click();
    await page.getByRole('link', { name: 'Assigned', exact: true }).click();
    const resolution = {
      Resolution: 'Only the times differed',
      'The cause, and how it was corrected': 'Paid after midnight',
    };
    await act(page, 'Propose a resolution', resolution, line);
    await page.getByText('Proposed: waits for the confirmation of another admin.').waitFor();

    const path = new URL(page.url()).pathname.replace('/console', '');
    const second = await console_.openAs('admin2', `/console${path}?status=proposed`);
    await second.getByText('Paid after midnight').waitFor();
    await takeScreenshot(second, 'desk-break');
    await act(second, 'Confirm', {}, lineOf(second));
    await second.getByText('The break is resolved').first().waitFor();
  });

  it('show an accepted yield report as waiting until a second admin approves it', async () => {
    const id = await records.waitingReport();
    const refused = await records.waitingReport();
    const page = await console_.openAs('admin', '/console/yield-reports');
    await rowOf(page, refused).getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('A typing error');
    await page.keyboard.press('Enter');
    await rowOf(page, refused).waitFor({ state: 'detached' });
    await act(page, 'Accept', {}, rowOf(page, id));
    await page.getByText('Nothing has changed yet.').waitFor();
    await rowOf(page, id).getByText('Waits for a second admin').waitFor();

    const second = await console_.openAs('admin2', '/console/approvals');
    await approveChange(second, /^Accept a yield report/);
    await rowOf(page, id).waitFor({ state: 'detached' });
  });

  it('pause withdrawals at once, and resume them after the approval of a second admin', async () => {
    const page = await console_.openAs('admin', '/console/integrity');
    const checks: string[] = [];
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/api/admin/integrity') checks.push(request.url());
    });
    await page.getByText('Withdrawals are open.').waitFor();
    await act(page, 'Pause withdrawals', { Reason: 'Keys are replaced' });
    await page.getByText('Withdrawals are paused by admin@example.com (Keys are replaced)').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await takeScreenshot(page, 'desk-paused');
    await act(page, 'Pause withdrawals', { Reason: 'Once more' });
    await page.getByRole('dialog').getByText('INVALID_STATE').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await act(page, 'Resume withdrawals', { Reason: 'The keys are new' });
    await page.getByText('admin@example.com has requested to resume them').waitFor();
    const second = await console_.openAs('admin2', '/console/approvals');
    await approveChange(second, /^Resume withdrawals/);
    await page.getByText('Withdrawals are open.').waitFor();
    expect(checks).toEqual([]); // none without a press of "Check now"
  });

  it('record the request for a change of a strategy, and say that nothing has changed', async () => {
    const page = await console_.openAs('admin', '/console/strategies');
    await act(page, 'Request a change', { 'Target, percent a year': '6.5' }, cardOf(page, 'Balanced 10%'));
    await page.getByText('Recorded. Nothing has changed').waitFor();
  });

  it('ask for a second factor before a transaction is approved', async () => {
    const { id } = (await treasury.create({ type: 'transfer' })).data;
    const app = await (await AdminSignIns.of(console_.platform)).addTotp();
    const page = await console_.open(`/console/transactions/${id}`);
    await signInWithCode(page, app);
    await act(page, 'Approve');
    await page.getByRole('heading', { name: 'Confirm with your second factor' }).waitFor();
    await enterCode(page, app);
    await page.getByText('Approved: it can be carried out now').waitFor();
    expect((await treasury.detail(id)).byAdmins.approvedBy).toBe(app.user.email);
  });
});
