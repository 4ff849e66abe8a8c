import { readdirSync } from 'node:fs';
import { AdminSignIns } from '../fixtures/admin-sign-ins.js';
import { INSERT_PARKED_EVENT } from '../fixtures/admin-writes.js';
import { HISTORY_LAST_CLOSED, HISTORY_START } from '../fixtures/audit-history.js';
import { PACK_FILES, unpack } from '../fixtures/audit-packs.js';
import { executeWithoutTriggers, insertUnbalancedEntries } from '../fixtures/ledger-corruption.js';
import { eventually } from '../harness/eventually.js';
import { AUDITOR, inDialog, saved, section, startAuditDesk, type AuditDesk } from './audit-desk.js';
import { enterCode, signInWithCode } from './admin-codes.js';
import { axeViolations, show, takeScreenshot } from './console-browser.js';

describe('The screens for auditors, support and readers in the console', () => {
  let desk: AuditDesk;

  beforeAll(async () => {
    desk = await startAuditDesk();
  });
  afterEach(() => {
    expect(desk.faults).toEqual([]);
  });
  afterAll(() => desk?.stop());

  it('find a user by "/" and the e-mail address, without a mouse', async () => {
    const page = await desk.openAs('admin', '/console/status');
    await page.getByRole('heading', { level: 1, name: 'Status' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.insertText(desk.ann.email);
    await page.getByRole('option', { name: `User ${desk.ann.email}` }).waitFor();
    await takeScreenshot(page, 'desk-search');
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: desk.ann.email }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/users/${desk.ann.id}`);
  });

  it('lead support from the search to the proof of every transaction, which the browser verifies', async () => {
    const page = await desk.openAs('support', '/console/status');
    const first = desk.transactions[0] as { id: string };
    await page.getByRole('combobox', { name: 'Search records' }).fill(first.id);
    await page.getByRole('option', { name: /^Transaction/ }).click();
    await section(page, 'Transaction').getByRole('link', { name: 'show' }).click();
    await page.getByRole('textbox', { name: 'Id of the transaction' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/proof/${first.id}`);
    const outcomes: Record<string, string> = {};
    for (const { id, kind } of desk.transactions) {
      await page.getByRole('textbox', { name: 'Id of the transaction' }).fill(id);
      await page.keyboard.press('Enter');
      await page.getByText(id, { exact: true }).first().waitFor();
      await page.getByRole('button', { name: 'Check the proof' }).click();
      const outcome = section(page, 'Proof').getByRole('alert');
      await outcome.waitFor();
      outcomes[`${kind} ${id}`] = (await outcome.innerText()).replace(/\d+/g, 'n');
    }
    expect(Object.keys(outcomes)).toHaveLength(desk.transactions.length);
    const proven = /^Proven: n ledger transactions? in the log of n leaves\.$/;
    const texts = [...new Set(Object.values(outcomes))];
    expect(
      texts.filter((text) => !proven.test(text) && !text.startsWith('This transaction has moved no')),
    ).toEqual([]);
    expect(texts.some((text) => proven.test(text))).toBe(true);
    await takeScreenshot(page, 'desk-proof-verified');
    expect(await axeViolations(page)).toEqual([]);
  });

  it('refuse a proof whose leaf has another amount', async () => {
    const page = await desk.openAs('support', '/console/status');
    const deposit = desk.transactions.find(({ kind }) => kind === 'deposit') as { id: string };
    const support = desk.platform.as(await desk.platform.given.admin('support'));
    const { body } = await support.get(`/api/admin/transactions/${deposit.id}/proof`);
    const [proof] = body.data.proofs;
    proof.leaf = proof.leaf.replace('"amount":"', '"amount":"9');
    await page.route('**/api/admin/transactions/*/proof', (route) => route.fulfill({ json: body }));
    await show(page, `/proof/${deposit.id}`);
    await page.getByRole('button', { name: 'Check the proof' }).click();
    await page.getByText('The check has failed').waitFor();
    await takeScreenshot(page, 'desk-proof-refused');
  });

  it('show an auditor each action with the record before and after it, and export them', async () => {
    const page = await desk.openAsListed(AUDITOR, '/console/audit');
    await page.getByLabel('Action').fill('withdrawal.reject');
    await page.keyboard.press('Enter');
    const entry = page.getByRole('article').filter({ hasText: 'withdrawal.reject' }).first();
    await entry.getByText('admin@example.com').waitFor();
    await entry.getByRole('columnheader', { name: 'Before' }).waitFor();
    await entry.getByRole('cell', { name: 'rejected' }).waitFor();
    const { name, content } = await saved(page, 'Export as CSV');
    expect(name).toBe('audit.csv');
    expect(content.toString()).toContain('withdrawal.reject');
    expect(content.toString()).not.toContain('withdrawal.take');
    await entry.getByRole('link', { name: /^All entries about it/ }).click();
    await page.getByRole('article').filter({ hasText: 'withdrawal.reject' }).first().waitFor();
    expect(new URL(page.url()).searchParams.get('subject')).toMatch(/^withdrawal:/);
    await page.reload();
    await page.getByRole('article').first().waitFor();
  });

  it('show an auditor the violations that a check finds, and let two admins resume the withdrawals that it has paused', async () => {
    const { platform } = desk;
    const withCodes = await (await AdminSignIns.of(platform)).addTotp();
    const auditor = await desk.openAsListed(AUDITOR, '/console/integrity');
    const check = async () => {
      await auditor.getByRole('button', { name: 'Check now' }).click();
      await inDialog(auditor, 'Check now').click();
      await auditor.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await auditor.getByText('Withdrawals are open.').waitFor(); // also before a check
    await check();
    const pause = auditor.getByRole('button', { name: 'Pause withdrawals' });
    expect(await pause.getAttribute('aria-disabled')).toBe('true');
    await auditor
      .getByText('Your permissions do not include this action (all permissions).')
      .first()
      .waitFor();

    const account = `(select id from ledger_account where kind = 'user.available' and owner_id = '${desk.ann.id}' and asset = 'USDC')`;
    const { undo } = await insertUnbalancedEntries(platform, [{ account, amount: '1' }]);
    await check();
    await auditor.getByText(/^Withdrawals are paused by the service/).waitFor();
    await auditor.getByText('Broken', { exact: true }).first().waitFor();
    await takeScreenshot(auditor, 'desk-integrity-violated');
    expect(await axeViolations(auditor)).toEqual([]);
    await executeWithoutTriggers(platform, ...undo);

    const admin = await desk.open('/console/integrity');
    await signInWithCode(admin, withCodes);
    await admin.getByRole('button', { name: 'Resume withdrawals' }).click();
    await admin.getByRole('dialog').getByLabel('Reason').fill('The entry was removed');
    await inDialog(admin, 'Resume withdrawals').click();
    await admin.getByRole('heading', { name: 'Confirm with your second factor' }).waitFor();
    await enterCode(admin, withCodes);
    await admin.getByText('Waits for the approval of a second admin').waitFor();

    await approveNewest('Resume withdrawals');
    await auditor.getByText('Withdrawals are open.').waitFor();
    await admin.getByRole('button', { name: 'Pause withdrawals' }).click();
    await admin.getByRole('dialog').getByLabel('Reason').fill('A drill');
    await inDialog(admin, 'Pause withdrawals').click();
    await admin.getByText('Withdrawals are paused', { exact: true }).waitFor();
  });

  /** Approves as `admin2` the change with this heading that waits. */
  async function approveNewest(heading: string): Promise<void> {
    const page = await desk.openAs('admin2', '/console/approvals');
    const title = page.getByRole('heading', { name: heading });
    const waiting = page.getByRole('article').filter({ has: title });
    await waiting.getByRole('button', { name: 'Approve', exact: true }).click();
    await inDialog(page, 'Approve').click();
    await page.getByText('Approved: the change was made').waitFor();
    await page.context().close();
  }

  it('let an auditor verify the head of the log and the liabilities of a day', async () => {
    const page = await desk.openAsListed(AUDITOR, '/console/log');
    const check = page.getByRole('button', { name: 'Check the log' });
    await check.click();
    await page.getByText(/is signed. This browser has kept it/).waitFor();
    await check.click();
    await page.getByText(/nothing was rewritten/).waitFor();
    await takeScreenshot(page, 'desk-log-verified');
    await page.getByRole('link', { name: 'Liabilities and assets' }).click();
    await page.getByLabel('Last day').fill(HISTORY_LAST_CLOSED);
    await page.getByRole('button', { name: 'Check the day' }).click();
    await page.getByText(/^Proven: 3 totals/).waitFor();
    await section(page, 'Assets of 30 Mar 2026').getByText('the platform’s books').first().waitFor();
    await takeScreenshot(page, 'desk-day-verified');
    expect(await axeViolations(page)).toEqual([]);
  });

  it('save the audit pack of a range of days', async () => {
    const page = await desk.openAsListed(AUDITOR, '/console/log?tab=pack');
    await page.getByLabel('First day').fill('2026-02-20');
    await page.getByLabel('Last day').fill('2026-02-22');
    await page.getByText('node verify.mjs').waitFor();
    const { name, content } = await saved(page, 'Save the pack');
    expect(name).toBe('audit-pack-2026-02-20-2026-02-22.tar.gz');
    const files = readdirSync(unpack(content, 'audit-pack-2026-02-20-2026-02-22'));
    expect(files.sort()).toEqual([...PACK_FILES].sort());
  });

  it('ask a second admin before the log continues after a restore', async () => {
    const { platform } = desk;
    await platform.dataSource.query('update proof_log set restored_at = now()');
    const page = await desk.openAs('admin', '/console/log');
    await page.getByRole('button', { name: 'Continue the log' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('Nothing was published');
    await inDialog(page, 'Continue the log').click();
    await page.getByText('Waits for the approval of a second admin').waitFor();
    await approveNewest('Continue the transparency log');
    const [{ restored_at: restoredAt }] = await platform.dataSource.query(
      'select restored_at from proof_log',
    );
    expect(restoredAt).toBeNull();
  });

  it('lead a reader of the books from the trial balance to an account, and save both as CSV and as a journal', async () => {
    const page = await desk.openAs('readonly', '/console/books?tab=balance');
    await page.getByLabel('End of the day').fill(HISTORY_LAST_CLOSED);
    await section(page, 'Sums: debits equal credits').getByRole('row', { name: /^USDC/ }).waitFor();
    const csv = await saved(page, 'Export as CSV');
    expect(csv.name).toBe(`trial-balance-${HISTORY_LAST_CLOSED}.csv`);
    expect(csv.content.toString()).toContain('user.available');
    const journal = await saved(page, 'Export as a journal');
    expect(journal.content.toString()).toContain('liabilities:user.available');
    await page.getByRole('link', { name: 'user.available' }).first().click();
    await page.getByText('Balance before the first day').waitFor();
    await page.getByLabel('First day').fill(HISTORY_START.slice(0, 10));
    await section(page, 'Entries').getByRole('row').nth(1).waitFor();
    await page.getByRole('link', { name: '← Books' }).click();
    const balance = page
      .getByRole('row', { name: /user\.available USDC/ })
      .getByRole('cell')
      .nth(3);
    await balance.getByText('Credit').waitFor();
    const reader = desk.platform.as(await desk.platform.given.admin('readonly'));
    const { accounts } = (await reader.get('/api/admin/books/trial-balance')).data;
    const { credit } = accounts.find(({ id }: { id: string }) => id === desk.accountId);
    expect((await balance.innerText()).replaceAll(',', '')).toBe(`${credit} Credit`);
    await page.getByRole('link', { name: 'Profit and loss' }).click();
    await page.getByText('Income less expense').waitFor();
  });

  it('show a reader the reports of users, investments and revenue', async () => {
    const page = await desk.openAs('readonly', '/console/reports');
    await page.getByText('Users with an open investment').first().waitFor();
    await page.getByLabel('Interval').selectOption('Weeks');
    await page.getByRole('link', { name: 'Investments' }).click();
    await page.getByRole('row', { name: /balanced-10/ }).waitFor();
    await page.getByRole('link', { name: 'Revenue' }).click();
    await page.getByRole('heading', { name: 'Revenue by strategy' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Search records' }).count()).toBe(0);
  });

  it('send an announcement to all users after showing who will get it', async () => {
    const page = await desk.openAs('admin', '/console/announcements');
    await page.getByLabel('Title').fill('Maintenance on Sunday');
    await page.getByLabel('Message').fill('Withdrawals are carried out on Monday.');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Sends this to: all users. It cannot be called back.').waitFor();
    await takeScreenshot(page, 'desk-announcement');
    await inDialog(page, 'Send').click();
    await page.getByText(/^Sent to \d+ users/).waitFor();
    await eventually(async () => {
      const { data } = await desk.platform.as(desk.ann).get('/api/user/notifications?limit=100');
      expect(JSON.stringify(data)).toContain('Maintenance on Sunday');
    });
  });

  it('process a failed callback again, which an auditor can only read', async () => {
    const auditor = await desk.openAsListed(AUDITOR, '/console/callbacks?status=failed');
    await auditor.locator(`[data-row="${desk.callbackId}"]`).getByRole('link').click();
    await auditor.getByText('"type":"yield.reported"').waitFor();
    const replay = auditor.getByRole('button', { name: 'Process again' });
    expect(await replay.getAttribute('aria-disabled')).toBe('true');
    const admin = await desk.openAs('admin', `/console/callbacks/${desk.callbackId}`);
    await admin.getByRole('button', { name: 'Process again' }).click();
    await inDialog(admin, 'Process again').click();
    await admin.getByText('The callback was processed again').waitFor();
    await admin.getByText('Only failed and ignored callbacks can be processed again.').waitFor();
    const { data } = await desk.platform
      .as(await desk.platform.given.admin())
      .get(`/api/admin/webhook-events/${desk.callbackId}`);
    expect(data.status).toBe('processed');
  });

  it('hand an event again to the consumer that has passed it over', async () => {
    const [{ id }] = await desk.platform.dataSource.query(INSERT_PARKED_EVENT, [desk.ann.id]);
    const page = await desk.openAs('admin', '/console/events?types=withdrawal.requested');
    await page
      .getByRole('row', { name: /withdrawal.requested/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Hand an event again' }).click();
    await page.getByRole('dialog').getByLabel('Id of the event').fill(id);
    await inDialog(page, 'Hand again').click();
    await page.getByText('Handled by notifications').waitFor();
    await page.getByRole('button', { name: 'Hand an event again' }).click();
    await page.getByRole('dialog').getByLabel('Id of the event').fill(id);
    await inDialog(page, 'Hand again').click();
    await page.getByText('EVENT_NOT_FOUND').waitFor();
  });

  it('show every admin whether the service and its providers work', async () => {
    const page = await desk.openAs('operator', '/console/status');
    await page
      .getByRole('row', { name: /^Database/ })
      .getByText('Healthy')
      .waitFor();
    await section(page, /^Service levels/)
      .getByText('Availability')
      .waitFor();
  });
});
