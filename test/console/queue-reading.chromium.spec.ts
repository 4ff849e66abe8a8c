import type { Page } from 'playwright-core';
import { ADMIN_USERS } from '../fixtures/admin-users.js';
import { OPERATORS_OWN, uniqueAmount } from '../fixtures/approval-requests.js';
import { insertPendingWithdrawals } from '../fixtures/bulk-withdrawals.js';
import { queryWithoutTriggers } from '../fixtures/ledger-corruption.js';
import { DESTINATION, USER_WITHDRAWALS, withdrawalSteps } from '../fixtures/withdrawals.js';
import { ORIGIN, startConsole, takeScreenshot, type ConsoleBrowser } from './console-browser.js';

const ROWS = 10_000;
const UUID = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g;
const THROTTLING = 4;

const QUEUE_TREE = `
- main:
  - heading "Withdrawals" [level=1]
  - paragraph: Sum 1,623.45 USDC
  - text: Oldest
  - time: 30 minutes
  - navigation "Withdrawals":
    - link "Pending 2":
      - /url: /console/withdrawals
    - link "Approved 0":
      - /url: /console/withdrawals?tab=approved
    - link "Processing 0":
      - /url: /console/withdrawals?tab=processing
    - link "Failed 0":
      - /url: /console/withdrawals?tab=failed
    - link "Completed":
      - /url: /console/withdrawals?tab=completed
    - link "Rejected":
      - /url: /console/withdrawals?tab=rejected
    - link "All":
      - /url: /console/withdrawals?tab=all
  - text: Filter this page
  - textbox "Filter this page":
    - /placeholder: E-mail, address or id
  - text: From amount
  - textbox "From amount"
  - button "Export as CSV"
  - button "Save this view"
  - status
  - 'table "Withdrawals: Pending"':
    - caption: "Withdrawals: Pending"
    - rowgroup:
      - row "Select all rows of this page User Amount To Age State Available Left today Next step":
        - columnheader "Select all rows of this page":
          - checkbox "Select all rows of this page"
        - columnheader "User"
        - columnheader "Amount":
          - button "Amount"
        - columnheader "To"
        - columnheader "Age":
          - button "Age"
        - columnheader "State"
        - columnheader "Available"
        - columnheader "Left today"
        - columnheader "Next step"
    - rowgroup:
      - 'row "Select: ann@example.org, 123.45 ann@example.org 123.45 0x5aAeb6…1BeAed 30 minutes Pending 1,876.54 49,876.54 Take"':
        - 'cell "Select: ann@example.org, 123.45"':
          - 'checkbox "Select: ann@example.org, 123.45"'
        - cell "ann@example.org":
          - link "ann@example.org":
            - /url: /console/withdrawals/<id>
        - cell "123.45"
        - cell "0x5aAeb6…1BeAed"
        - cell "30 minutes":
          - time: 30 minutes
        - cell "Pending"
        - cell "1,876.54"
        - cell "49,876.54"
        - cell "Take":
          - button "Take"
      - 'row "Select: bob@example.org, 1,500.00 bob@example.org 1,500.00 0x5aAeb6…1BeAed 0 seconds Pending 500.00 48,500.00 Take"':
        - 'cell "Select: bob@example.org, 1,500.00"':
          - 'checkbox "Select: bob@example.org, 1,500.00"'
        - cell "bob@example.org":
          - link "bob@example.org":
            - /url: /console/withdrawals/<id>
        - cell "1,500.00"
        - cell "0x5aAeb6…1BeAed"
        - cell "0 seconds":
          - time: 0 seconds
        - cell "Pending"
        - cell "500.00"
        - cell "48,500.00"
        - cell "Take":
          - button "Take"
  - navigation "Pages":
    - paragraph: "Page 1 of 1 · rows: 2"
`;

describe('The queue of withdrawals, as it is read', () => {
  let console_: ConsoleBrowser;

  beforeAll(async () => {
    console_ = await startConsole();
    const { platform } = console_;
    for (const [name, amount, time] of [
      ['ann', '123.456789', '10:00'],
      ['bob', '1500.00', '10:30'],
    ]) {
      platform.clock.moveTo(`2026-03-02T${time}:00.000Z`);
      const user = await platform.given.user(`${name}@example.org`).withBalance('2000.00');
      await platform.as(user).post(USER_WITHDRAWALS, { amount, currency: 'USDC', toAddress: DESTINATION });
    }
  });
  afterEach(() => {
    expect(console_.faults).toEqual([]);
  });
  afterAll(() => console_?.stop());

  const firstRow = (page: Page) => page.locator('[data-row]').first();

  it('has names and roles for everything that a screen reader reads', async () => {
    const page = await console_.openAs('operator', '/console/withdrawals');
    await firstRow(page).getByRole('button', { name: 'Take' }).waitFor();
    for (const name of ['Pending 2', 'Approved 0', 'Processing 0', 'Failed 0'])
      await page.getByRole('link', { name }).waitFor();
    await page.getByText('Sum 1,623.45 USDC').waitFor();
    await firstRow(page).getByText('30 minutes').waitFor(); // by the clock of the service, which is read meanwhile
    const tree = await page.getByRole('main').ariaSnapshot();
    expect(tree.replaceAll(UUID, '<id>').split('\n')).toEqual(QUEUE_TREE.trim().split('\n'));
    await page.context().close();
  });

  it('shows the sum without what a user has cancelled, before the list is read again by itself', async () => {
    const steps = await withdrawalSteps(console_.platform);
    const { id, ann } = await steps.createPending('76.55');
    const page = await console_.openAs('operator', '/console/withdrawals');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('Sum 1,700.00 USDC').waitFor(); // 1,623.45 + 76.55
    await steps.cancel(id, ann);
    await page.getByText('Sum 1,623.45 USDC').waitFor({ timeout: 10_000 });
    await page.context().close();
  });

  it('can be used on a slow processor before any other screen is loaded', async () => {
    const usableAfter = async (slowness: number): Promise<number> => {
      const page = await console_.openAs('operator', '/console/withdrawals');
      await firstRow(page).waitFor();
      const devTools = await page.context().newCDPSession(page);
      await devTools.send('Emulation.setCPUThrottlingRate', { rate: slowness });
      const scripts: string[] = [];
      page.on('request', (request) => scripts.push(new URL(request.url()).pathname));
      const start = performance.now();
      await page.reload({ waitUntil: 'commit' });
      await firstRow(page).waitFor();
      const focused = page.locator('[data-row]:focus-within');
      while ((await focused.count()) === 0) await page.keyboard.press('j');
      const milliseconds = performance.now() - start;
      expect(scripts.filter((name) => /(approvals|alerts|users?|overview|security)-page/.test(name))).toEqual(
        [],
      );
      await page.context().close();
      return milliseconds;
    };
    const times = [await usableAfter(1), await usableAfter(THROTTLING)];
    const [usual, slow] = times.map((time) => `${Math.round(time)} ms`);
    process.stdout.write(
      `The queue is usable after ${usual}, on a processor of a quarter of the speed after ${slow}.\n`,
    );
  });

  it('knows an approval that is older than a hundred others, and leads to it page by page', async () => {
    const { platform } = console_;
    const steps = await withdrawalSteps(platform);
    const amount = uniqueAmount();
    const { id } = await steps.createProcessing(amount);
    const operator = await platform.given.admin('operator');
    const elsewhere = await platform.outside.chain.payUsdc(OPERATORS_OWN, amount);
    expect((await steps.complete(id, elsewhere, {}, operator)).status).toBe(202);
    for (let count = 1; count <= 101; count++) {
      const { id: userId } = await platform.given.user();
      const body = { email: `new-${userId}@example.org`, reason: 'Lost mailbox' };
      expect((await platform.as(steps.admin).put(`${ADMIN_USERS}/${userId}`, body)).status).toBe(202);
    }
    const page = await console_.openAs('admin2', `/console/withdrawals/${id}`);
    await page.getByText(`which ${operator.email} has requested`).waitFor();
    await page.goto(`${ORIGIN}/console/approvals`);
    await page.getByText('Page 1 of 6 · rows: 102').waitFor(); // 101 and the older one, 20 a page
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('Page 2 of 6').waitFor();
    await page.goto(`${ORIGIN}/console/approvals?page=6`);
    await page.getByRole('heading', { name: /^Complete a withdrawal that the chain contradicts/ }).waitFor();
    expect(await page.getByRole('article').count()).toBe(2); // 102 - 5 · 20
    await page.context().close();
  });

  it('shows first what the admin has taken, wherever it is in the queue, and keeps the filters from tab to tab', async () => {
    const { platform } = console_;
    const { id: userId } = await platform.given.user('busy@example.org');
    await insertPendingWithdrawals(platform, userId, { count: 60, from: '2026-03-01T00:00:00Z' });
    await queryWithoutTriggers(
      platform,
      `update withdrawal set status = 'processing', taken_by = 'admin2@example.com', executed_at = created_at
        where user_id = $1`,
      [userId],
    );
    const steps = await withdrawalSteps(platform);
    const { id } = await steps.createPending('777.00');
    await steps.take(id, await platform.given.admin('operator'));
    const page = await console_.openAs('operator', '/console/withdrawals?tab=processing');
    await firstRow(page).waitFor();
    expect(await firstRow(page).getAttribute('data-row')).toBe(id);
    expect(await page.locator('[data-row]').count()).toBe(51); // a page of fifty, and the operator's own

    await page.getByLabel('From amount').fill('770');
    await page.locator('[data-row]').nth(1).waitFor({ state: 'detached' });
    expect(await firstRow(page).getAttribute('data-row')).toBe(id);
    await page.getByRole('link', { name: /^Approved/ }).click();
    await page.getByText('No withdrawal is waiting here.').waitFor();
    expect(new URL(page.url()).search).toBe('?tab=approved&min=770');
    await page.context().close();
  });

  it('says that the user, and no colleague, was faster with a cancellation', async () => {
    const steps = await withdrawalSteps(console_.platform);
    const { id, ann } = await steps.createPending('778.00');
    const page = await console_.openAs('operator', `/console/withdrawals/${id}`);
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('Not known');
    const cancelled = await steps.cancel(id, ann);
    expect(cancelled.data.status).toBe('rejected');
    await page.keyboard.press('Enter');
    await page.getByText('It was changed before').waitFor();
    await page.getByText(`${ann.email} has cancelled it`).waitFor();
    await page.context().close();
  });

  it(`pages, sorts and filters ${ROWS} rows, and shows one page of them at a time`, async () => {
    const { platform } = console_;
    const { id } = await platform.given.user('many@example.org');
    await insertPendingWithdrawals(platform, id, { count: ROWS, from: '2026-03-01T00:00:00Z' });
    const page = await console_.openAs('operator', '/console/withdrawals');
    const idsOf = async () =>
      page
        .locator('[data-row]')
        .evaluateAll((rows: any[]) => rows.map(({ dataset }) => dataset.row as string));
    await page.getByText('Page 1 of 201 · rows: 10,002').waitFor(); // with those of Ann and Bob, fifty a page
    const first = await idsOf();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.locator(`[data-row="${first[0]}"]`).waitFor({ state: 'detached' });
    const second = await idsOf();
    expect([first.length, second.length, new Set([...first, ...second]).size]).toEqual([50, 50, 100]);
    expect(new URL(page.url()).search).toBe('?page=2');

    await page.goto(`${ORIGIN}/console/withdrawals?page=201`);
    await page.getByText('Page 201 of 201').waitFor();
    expect((await idsOf()).length).toBe(2);
    expect(await page.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true);

    await page.getByRole('button', { name: /^Amount/ }).click();
    const amountOfFirst = firstRow(page).locator('[data-label="Amount"]');
    await amountOfFirst.getByText('1.00', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Amount/ }).click();
    await amountOfFirst.getByText('10,000.00', { exact: true }).waitFor();
    await page.getByLabel('From amount').fill('9951'); // the amounts are 1.00 to 10,000.00
    await page.getByText('Page 1 of 1 · rows: 50').waitFor();
    expect((await idsOf()).length).toBe(50);
    await takeScreenshot(page, 'queue-filtered');
    await page.context().close();
  });
});
