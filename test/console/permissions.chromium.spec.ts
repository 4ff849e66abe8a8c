import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { AlertsService } from '../../src/modules/core/alerts/alerts.service.js';
import { INSERT_DEAD_LETTER } from '../fixtures/admin-writes.js';
import {
  CONSOLE_CONTROLS,
  CONSOLE_SCREENS,
  type ControlEntry,
  type ScreenEntry,
} from '../fixtures/console-screens.js';
import { startHold } from '../fixtures/identities.js';
import { lockAccount } from '../fixtures/locks.js';
import { heldWithdrawal } from '../fixtures/limits.js';
import { listAdmin } from '../fixtures/listed-admins.js';
import { PERMISSION_OF_ROUTE } from '../fixtures/route-permissions.js';
import { ScreeningSteps } from '../fixtures/screening.js';
import { linkWallet } from '../fixtures/sealed-rows.js';
import { newWallet } from '../fixtures/wallets.js';
import { DESTINATION, withdrawalSteps } from '../fixtures/withdrawals.js';
import type { TestPlatform } from '../harness/platform.js';
import { labelled, loaded, ORIGIN, startConsole, type ConsoleBrowser } from './console-browser.js';

/** The roles of the permission matrix, and admins with a single permission or with those about users. */
const CALLERS: Record<string, readonly string[]> = {
  admin: ['*'],
  operator: ['investments:read', 'investments:approve', 'withdrawals:read', 'withdrawals:approve'],
  support: ['users:read', 'investments:read', 'transactions:read'],
  readonly: ['dashboard:read', 'reports:read'],
  accounts: ['users:read', 'users:write'],
  removals: ['users:read', 'users:delete', 'withdrawals:approve'],
  ...Object.fromEntries(
    [
      'users:read',
      'users:write',
      'users:delete',
      'investments:read',
      'investments:approve',
      'withdrawals:read',
      'withdrawals:approve',
      'transactions:read',
      'transactions:write',
      'dashboard:read',
      'reports:read',
      'audit:read',
    ].map((permission) => [permission, [permission]]),
  ),
};
const SAMPLES = ['admin', 'operator', 'support', 'readonly'];
/** The search finds records of the types that an admin may list. */
const SEARCHED = [
  'GET /api/admin/users',
  'GET /api/admin/withdrawals',
  'GET /api/admin/transactions',
  'GET /api/admin/investments',
];

function isPermitted(permissions: readonly string[], route: string | undefined): boolean {
  if (route === undefined) return true;
  const permission = PERMISSION_OF_ROUTE[route];
  if (permission === undefined) throw new Error(`${route} has no permission in the table`);
  return permissions.includes('*') || permissions.includes(permission);
}

/** A user with a lock, a hold, and everything that an admin can take away. Returns the id. */
async function restrictedUser(platform: TestPlatform): Promise<string> {
  const user = await platform.given.user();
  const caller = platform.as(user);
  await caller.post('/api/user/api-keys', { name: 'Bookkeeping', scopes: ['balance:read'] });
  await caller.post('/api/user/addresses', { label: 'My safe', address: DESTINATION, network: 'ERC20' });
  await linkWallet(platform.dataSource, newWallet().address, user.id);
  await startHold(platform, user.id);
  await lockAccount(platform, user.id);
  return user.id;
}

describe('What each admin can reach in the console', () => {
  let console_: ConsoleBrowser;
  const ids: Record<string, string> = {};
  let screens: readonly ScreenEntry[];

  beforeAll(async () => {
    console_ = await startConsole({}, { screening: true });
    const { platform } = console_;
    const steps = await withdrawalSteps(platform);
    const screening = new ScreeningSteps(platform, steps);
    const reviewed = await screening.user('review');
    ids.reviewedUser = reviewed.id;
    ids.restricted = await restrictedUser(platform);
    await screening.waitForAnswers();
    ids.reviewed = (await steps.request(reviewed, '100.00')).data.id;
    ids.held = (await heldWithdrawal(platform, steps)).id;
    ids.pending = (await steps.createPending()).id;
    ids.taken = (await steps.createProcessing()).id;
    const transactions = await platform.as(steps.admin).get('/api/admin/transactions?limit=1');
    ids.transaction = transactions.data.transactions[0].id;
    ids.callback = (await platform.dataSource.query(INSERT_DEAD_LETTER, [randomUUID()]))[0].id;
    await platform.app.get(AlertsService).raise({
      kind: 'large-deposit', // no job resolves it
      subject: { type: 'deposit', id: randomUUID() },
      message: 'A condition.',
      nextStep: 'A step.',
    });
    for (const [caller, permissions] of Object.entries(CALLERS))
      if (!SAMPLES.includes(caller)) await listAdmin(platform, emailOf(caller), [], { permissions });
    const titles = await navigationOf(await console_.openAs('admin'));
    screens = CONSOLE_SCREENS.filter(({ title }) => titles.includes(title));
    expect(titles).toEqual(screens.map(({ title }) => title)); // the table has every screen
  });
  afterAll(() => console_?.stop());

  const navigationOf = (page: Page) =>
    page.getByRole('navigation', { name: 'Screens' }).getByRole('link').allTextContents();

  const emailOf = (caller: string) => `${caller.replace(/\W/, '-')}@example.com`;

  const openAs = (caller: string): Promise<Page> =>
    SAMPLES.includes(caller)
      ? console_.openAs(caller, '/console/approvals')
      : console_.openAsListed(emailOf(caller), '/console/approvals');

  /** Opens a path and returns whether it is a screen that the admin may open; then it is loaded. */
  async function goTo(page: Page, path: string): Promise<boolean> {
    await page.goto(`${ORIGIN}/console${path}`);
    const heading = page.getByRole('heading', { level: 1 });
    await heading.waitFor();
    if ((await heading.innerText()) === 'No such screen') return false;
    await loaded(page);
    return true;
  }

  const pathOf = ({ at, screen }: ControlEntry) =>
    (at ?? CONSOLE_SCREENS.find(({ title }) => title === screen)?.path ?? '').replace(
      /:(\w+)/,
      (_, name: string) => ids[name] as string,
    );

  /** A control is not reachable if it is absent, or disabled with a reason that names the permissions. */
  async function hasControl(page: Page, { role, name, selected }: ControlEntry): Promise<boolean> {
    if (selected) {
      const box = page.locator(`[data-row="${ids[selected]}"]`).getByRole('checkbox');
      if ((await box.count()) === 0) return false;
      await box.check();
    }
    const control = page
      .locator('main')
      .getByRole(role, { name: labelled(name) })
      .first();
    if ((await control.count()) === 0) return false;
    if ((await control.getAttribute('aria-disabled')) !== 'true') return true;
    const reason = await control.locator('xpath=..').innerText();
    return !/Your permissions|You may only read/.test(
      `${reason} ${(await control.getAttribute('title')) ?? ''}`,
    );
  }

  it.each(Object.keys(CALLERS))(
    'is for `%s` exactly what the permissions of the routes say [SEC-803]',
    async (caller) => {
      const permissions = CALLERS[caller] as readonly string[];
      const page = await openAs(caller);
      const expected: Record<string, unknown> = {};
      const actual: Record<string, unknown> = {};
      const isOpen = (title: string) =>
        isPermitted(permissions, screens.find((screen) => screen.title === title)?.route);
      expected.navigation = screens.map(({ title }) => title).filter(isOpen);
      actual.navigation = await navigationOf(page);
      expected.search = SEARCHED.some((route) => isPermitted(permissions, route));
      actual.search = (await page.getByRole('combobox', { name: 'Search records' }).count()) === 1;
      for (const path of new Set([
        ...screens.map((screen) => screen.path),
        ...CONSOLE_CONTROLS.map(pathOf),
      ])) {
        const opened = await goTo(page, path);
        for (const { title } of screens.filter((screen) => screen.path === path)) {
          expected[title] = isOpen(title);
          actual[title] = opened;
        }
        for (const control of CONSOLE_CONTROLS.filter((candidate) => pathOf(candidate) === path)) {
          const cell = `${control.screen}: ${control.name}`;
          expected[cell] = isOpen(control.screen) && isPermitted(permissions, control.route);
          actual[cell] = opened && (await hasControl(page, control));
        }
      }
      await page.context().close();
      expect(actual).toEqual(expected);
      expect(console_.faults).toEqual([]);
    },
  );
});
