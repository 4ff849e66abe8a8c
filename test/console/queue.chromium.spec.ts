import type { Page, Response } from 'playwright-core';
import { treasurySteps } from '../fixtures/treasury.js';
import { DESTINATION, unknownHash, withdrawalSteps, type WithdrawalSteps } from '../fixtures/withdrawals.js';
import { repetitions } from '../harness/repetitions.js';
import { act, ORIGIN, startConsole, takeScreenshot, type ConsoleBrowser } from './console-browser.js';

const RACES = repetitions(200, 4);

type Move = 'take' | 'complete' | 'reject';
const STATUS_AFTER: Record<Move, string> = { take: 'processing', complete: 'completed', reject: 'rejected' };
/** What the two admins of a race do. */
const MOVES: readonly (readonly Move[])[] = [
  ['take', 'take'],
  ['complete', 'reject'],
  ['take', 'reject'],
  ['complete', 'complete'],
];

describe('The queue of withdrawals in the console', () => {
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

  const openTwo = (path: string): Promise<Page[]> =>
    Promise.all(['operator', 'admin2'].map((admin) => console_.openAs(admin, path)));

  /** What an action has led to; begin to wait before it, because a success is shown for seconds only. */
  const outcomeOf = async (page: Page): Promise<'won' | 'lost'> => {
    const text = await page.locator('.mantine-Notification-root').first().innerText();
    expect(text).toMatch(/^(A colleague was faster|Taken: pay it now|Completed|Rejected)/);
    return text.startsWith('A colleague') ? 'lost' : 'won';
  };

  /** Holds the requests of both pages until each has sent one; resolves with a function that waits for that. */
  async function sendTogether(pages: readonly Page[]): Promise<() => Promise<void>> {
    let waiting = pages.length;
    let release: () => void = () => undefined;
    const allSent = new Promise<void>((resolve) => (release = resolve));
    for (const page of pages)
      await page.route(
        /\/(take|complete|reject)$/,
        async (route) => {
          if (--waiting === 0) release();
          await allSent;
          await route.continue();
        },
        { times: 1 },
      );
    return () => allSent;
  }

  /** The button of the page, not the one with the same name in a dialog. */
  const buttonOf = (page: Page, name: string) =>
    page.getByRole('main').getByRole('button', { name, exact: true });
  const rowOf = (page: Page, id: string) => page.locator(`[data-row="${id}"]`);

  it('leads an operator from the sign-in to a completed withdrawal, whose payment the chain shows', async () => {
    const { id, ann } = await steps.createPending('123.45');
    const page = await console_.open();
    await page.getByRole('button', { name: 'operator', exact: true }).click();
    await rowOf(page, id).getByRole('button', { name: 'Take', exact: true }).click();
    await page.getByText('Taken: pay it now').waitFor();
    await page.getByRole('link', { name: /Processing/ }).click();
    await rowOf(page, id).getByRole('link', { name: ann.email }).click();
    await page.getByRole('heading', { name: 'Pay exactly this' }).waitFor();
    await page.getByRole('img', { name: 'QR code of the address' }).waitFor();
    await takeScreenshot(page, 'story-pay');

    const txHash = await console_.platform.outside.chain.payUsdc(DESTINATION, '123.45');
    await page.keyboard.press('c');
    await page.getByLabel('Hash of the transfer').fill(txHash);
    await takeScreenshot(page, 'story-complete');
    await page.keyboard.press('Enter');
    await page.getByText('The chain shows this payment').first().waitFor();
    expect(await steps.detail(id)).toMatchObject({
      status: 'completed',
      chainCheck: 'matched',
      completedBy: 'operator@example.com',
    });
    await takeScreenshot(page, 'story-completed');
  });

  it('needs no mouse, and five keys besides the hash from the queue to "completed"', async () => {
    const { id } = await steps.createPending('55.00');
    const page = await console_.openAs('operator', '/console/withdrawals?order=desc');
    await rowOf(page, id).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'To decide by' }).waitFor();
    await buttonOf(page, 'Take').waitFor();
    await page.keyboard.press('t');
    await buttonOf(page, 'Complete').waitFor();
    await page.keyboard.press('c');
    await page.getByLabel('Hash of the transfer').waitFor();
    await page.keyboard.insertText(await console_.platform.outside.chain.payUsdc(DESTINATION, '55.00'));
    await page.keyboard.press('Enter');
    await page.getByText('The chain shows this payment').first().waitFor();
    expect((await steps.detail(id)).status).toBe('completed');
  });

  it('takes one that was put back on the same page again', async () => {
    const { id } = await steps.createPending('43.00');
    const page = await console_.openAs('operator', `/console/withdrawals/${id}`);
    await buttonOf(page, 'Take').waitFor();
    await page.keyboard.press('t');
    await buttonOf(page, 'Put back').waitFor();
    await page.keyboard.press('b');
    await page.getByRole('dialog').getByLabel('Reason').fill('Taken by mistake');
    await page.keyboard.press('Enter');
    await buttonOf(page, 'Take').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await steps.detail(id)).status).toBe('pending');
    await page.keyboard.press('t');
    await buttonOf(page, 'Put back').waitFor();
    expect((await steps.detail(id)).status).toBe('processing');
  });

  it('takes the selected withdrawals together, and keeps the tab and the order in the address', async () => {
    const ids = [(await steps.createPending('15.00')).id, (await steps.createPending('16.00')).id];
    const page = await console_.openAs('operator', '/console/withdrawals?sort=amount');
    for (const id of ids) await rowOf(page, id).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Take the 2 selected' }).click();
    await page.getByText('2 taken, 0 refused').waitFor();
    await page.getByRole('link', { name: /Processing/ }).click();
    await page.getByRole('button', { name: /^Amount/ }).click();
    for (const id of ids) await rowOf(page, id).waitFor();
    await page.reload();
    for (const id of ids) await rowOf(page, id).waitFor();
    expect(new URL(page.url()).search).toBe('?tab=processing&sort=amount&order=asc');
    for (const id of ids) expect((await steps.detail(id)).takenBy).toBe('operator@example.com');
  });

  it('tells the loser of a race for a row who was faster, and shows it to nobody as still to take', async () => {
    const { id } = await steps.createPending('77.00');
    const pages = await openTwo('/console/withdrawals');
    const takes = pages.map((page) => rowOf(page, id).getByRole('button', { name: 'Take', exact: true }));
    for (const take of takes) await take.waitFor();
    const outcomes = pages.map(outcomeOf);
    const sent = await sendTogether(pages);
    await Promise.all(takes.map((take) => take.click()));
    await sent();
    expect((await Promise.all(outcomes)).sort()).toEqual(['lost', 'won']);
    for (const page of pages) await rowOf(page, id).waitFor({ state: 'detached' });
  });

  it('offers neither payment nor action before the approvals are read, then the exact amount, also if they cannot be read again', async () => {
    const { id } = await steps.createProcessing('100.129999');
    const page = await console_.openAs('operator', '/console/alerts');
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/api/admin/approvals?*', async (route) => {
      await answered;
      await route.continue();
    });
    await page.goto(`${ORIGIN}/console/withdrawals/${id}`);
    await page.getByText('It is not known yet whether a second admin decides about it').waitFor();
    expect(await page.getByText('Pay exactly this').count()).toBe(0);
    expect(await buttonOf(page, 'Complete').count()).toBe(0);
    answer();
    await page.getByText('Pay exactly this').waitFor();
    await page.getByText('100.129999 USDC', { exact: true }).waitFor();

    const isRefusal = (response: Response) =>
      response.url().includes('/api/admin/approvals?') && response.status() === 400;
    const refused = page.waitForResponse(isRefusal, { timeout: 180_000 }); // at the latest when the page reads the approvals again by itself
    const json = { success: false, error: { code: 'VALIDATION_ERROR', message: 'No' } };
    await page.route('**/api/admin/approvals?*', (route) => route.fulfill({ status: 400, json }));
    await steps.createPending('35.00'); // its event lets the page read the approvals again
    await refused;
    await page.evaluate('new Promise(requestAnimationFrame)'); // what the refusal has changed is drawn
    expect(await buttonOf(page, 'Complete').count()).toBe(1);
    expect(await page.getByText('Pay exactly this').count()).toBe(1);
  });

  it('counts what waits, puts a withdrawal back for colleagues, and records that one was not paid', async () => {
    const { id: returned } = await steps.createPending('41.00');
    const { id: failed } = await steps.createPending('42.00');
    const operator = await console_.platform.given.admin('operator');
    for (const id of [returned, failed]) await steps.take(id, operator);
    const page = await console_.openAs('operator', `/console/withdrawals/${returned}`);
    await act(page, 'Put back', { Reason: 'I have to leave' });
    await page.getByText('Pending again', { exact: true }).waitFor();
    await page.getByText('I have to leave').first().waitFor();
    expect(await steps.detail(returned)).toMatchObject({ status: 'pending', takenBy: null });
    await page.goto(`${ORIGIN}/console/withdrawals/${failed}`);
    await act(page, 'Not paid', { Reason: 'Custody has refused it' });
    await page.getByText('Failed: the amount stays reserved').waitFor();
    expect((await steps.detail(failed)).status).toBe('failed');

    await page.goto(`${ORIGIN}/console/withdrawals`);
    await page.getByRole('link', { name: /^Pending ?\d+$/ }).waitFor();
    await page.getByRole('link', { name: /^Failed ?\d+$/ }).click();
    await rowOf(page, failed).getByRole('button', { name: 'Complete' }).waitFor();

    const treasury = await treasurySteps(console_.platform);
    const input = { type: 'reversal', withdrawalId: failed, amount: '42.00' };
    await treasury.confirm(await treasury.createApproved(input));
    await page.reload();
    await rowOf(page, failed).getByText('Amount returned').waitFor();
    expect(await rowOf(page, failed).getByRole('button').count()).toBe(0);
  });

  it('pays a withdrawal of the sandbox with test money, and completes it with the hash', async () => {
    const { id } = await steps.createProcessing('33.00');
    const page = await console_.openAs('operator', `/console/withdrawals/${id}`);
    await buttonOf(page, 'Complete').click();
    const pay = page.getByRole('button', { name: 'Sandbox: pay it with test money' });
    await pay.click();
    await page
      .getByRole('dialog')
      .getByLabel('Hash of the transfer')
      .and(page.locator('[value^="0x"]'))
      .waitFor();
    expect(await pay.isDisabled()).toBe(true);
    await page.getByRole('dialog').getByRole('button', { name: 'Complete', exact: true }).click();
    await page.getByText('The chain shows this payment').first().waitFor();
    expect((await steps.detail(id)).chainCheck).toBe('matched');
  });

  it('keeps a dialog open while its request runs', async () => {
    const { id } = await steps.createProcessing('32.00');
    const page = await console_.openAs('operator', `/console/withdrawals/${id}`);
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/reject', async (route) => {
      await answered;
      await route.continue();
    });
    await buttonOf(page, 'Reject').click();
    await page.getByLabel('Reason').fill('Asked for twice');
    await page.keyboard.press('Enter');
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor();
    answer();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await steps.detail(id)).status).toBe('rejected');
  });

  it('gives each withdrawal one outcome in races of taking, completing and rejecting, tells the loser, and leaves no button for an action that is not possible any more', async () => {
    const pages = await openTwo('/console/withdrawals');
    for (let round = 0; round < RACES; round++)
      await race(pages, MOVES[round % MOVES.length] as readonly Move[]);
  });

  /** Two admins act on one withdrawal, and the requests of both are sent before either is answered. */
  async function race(pages: Page[], moves: readonly Move[]): Promise<void> {
    const isTaken = !moves.includes('take');
    const { id } = isTaken ? await steps.createProcessing('31.00') : await steps.createPending('31.00');
    for (const [index, page] of pages.entries()) {
      await page.goto(`${ORIGIN}/console/withdrawals/${id}`);
      await buttonOf(page, isTaken ? 'Complete' : 'Take').waitFor();
      const move = moves[index] as Move;
      if (move === 'take') continue;
      await page.keyboard.press(move === 'complete' ? 'c' : 'r');
      await page
        .getByLabel(move === 'complete' ? 'Hash of the transfer' : 'Reason')
        .fill(move === 'complete' ? unknownHash() : 'Asked for twice');
    }
    const outcomes = pages.map(outcomeOf);
    const sent = await sendTogether(pages);
    await Promise.all(
      pages.map((page, index) => page.keyboard.press(moves[index] === 'take' ? 't' : 'Enter')),
    );
    await sent();
    const told = await Promise.all(outcomes);
    const { status, lifecycle } = await steps.detail(id);
    // A withdrawal that was taken can still be rejected: then both have acted, one after the other.
    const made = lifecycle
      .map(({ action }: { action: Move }) => action)
      .filter((one: Move) => moves.includes(one));
    expect(new Set(made).size).toBe(made.length);
    const wins = told.filter((outcome) => outcome === 'won').length;
    expect([moves, wins]).toEqual([moves, made.length]);
    expect(status).toBe(STATUS_AFTER[made.at(-1) as Move]);
    const offered = (page: Page, name: RegExp) =>
      page.getByRole('main').getByRole('button', { name }).first();
    for (const page of pages) {
      await offered(page, /^(Take|Approve)$/).waitFor({ state: 'detached' });
      const decide = offered(page, /^(Complete|Reject)$/);
      await decide.waitFor({ state: status === 'processing' ? 'visible' : 'detached' });
    }
  }
});
