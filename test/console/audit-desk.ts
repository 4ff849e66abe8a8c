import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { INSERT_DEAD_LETTER } from '../fixtures/admin-writes.js';
import { HISTORY_SETTINGS, HISTORY_START, makeAuditHistory } from '../fixtures/audit-history.js';
import type { TestUser } from '../fixtures/given.js';
import { listAdmin } from '../fixtures/listed-admins.js';
import { changeSealed } from '../fixtures/sealed-rows.js';
import { startConsole, type ConsoleBrowser } from './console-browser.js';

/** An admin whose only permission is `audit:read`. */
export const AUDITOR = 'auditor@example.com';

/** The console on a platform with records of every kind. */
export interface AuditDesk extends ConsoleBrowser {
  readonly ann: TestUser;
  readonly transactions: readonly { id: string; kind: string }[];
  /** A callback that has failed, and that a replay processes. */
  readonly callbackId: string;
  readonly accountId: string;
}

export async function startAuditDesk(): Promise<AuditDesk> {
  const console_ = await startConsole(HISTORY_SETTINGS, { at: HISTORY_START });
  const { platform } = console_;
  const { ann } = await makeAuditHistory(platform);
  await listAdmin(platform, AUDITOR, [], { permissions: ['audit:read'] });
  const admin = platform.as(await platform.given.admin());
  const { transactions } = (await admin.get('/api/admin/transactions?limit=100')).data;
  const accounts = (await admin.get('/api/admin/books/accounts')).data;
  const account = accounts.find(({ kind, asset }: any) => kind === 'user.available' && asset === 'USDC');
  const [{ id }] = await platform.dataSource.query(INSERT_DEAD_LETTER, [randomUUID()]);
  await changeSealed(platform.dataSource, 'webhook_event', ['id', id], () => ({})); // gives the inserted row its seal
  return { ...console_, ann, transactions, callbackId: id, accountId: account.id };
}

/** The button in the open dialog: the page has one with the same name. */
export const inDialog = (page: Page, name: string): Locator =>
  page.getByRole('dialog').getByRole('button', { name });

/** The part of the page with this heading. */
export const section = (page: Page, name: string | RegExp): Locator =>
  page.locator('section').filter({ has: page.getByRole('heading', { name, exact: true }) });

/** The file that a button saves. */
export async function saved(page: Page, button: string): Promise<{ name: string; content: Buffer }> {
  const press = page.getByRole('button', { name: button }).click();
  const [download] = await Promise.all([page.waitForEvent('download'), press]);
  return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
}
