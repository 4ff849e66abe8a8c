import {
  JOURNALS,
  type Journals,
  runProgram,
  startJournals,
  withWrongBalance,
} from '../fixtures/journals.js';
import type { TestPlatform } from '../harness/platform.js';

describe('hledger', () => {
  let platform: TestPlatform;
  let journals: Journals;
  beforeAll(async () => {
    ({ platform, journals } = await startJournals());
  });
  afterAll(() => platform?.stop());

  it.each(JOURNALS)('accepts the journal of %s with all its balance assertions [SEC-190]', (_, name) => {
    expect(runProgram('hledger', '-f', journals[name], 'check')).toEqual({ status: 0, output: '' });
  });

  it('refuses a journal with a wrong balance assertion', () => {
    const { status, output } = runProgram('hledger', '-f', withWrongBalance(journals.ofMarch), 'check');
    expect([status === 0, output]).toEqual([false, expect.stringContaining('balance assertion')]);
  });

  it('computes the closing balances of all accounts of the ledger', () => {
    const { output } = runProgram(
      'hledger',
      ...['-f', journals.ofAllDays, 'balance', '--flat', '--no-total', '-O', 'csv', '--layout', 'bare'],
    );
    const computed = new Map(
      output
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => JSON.parse(`[${line}]`) as [string, string, string])
        .map(
          ([account, commodity, balance]) =>
            [`${account.slice(account.indexOf(':') + 1)} ${commodity}`, balance] as const,
        ),
    );
    // The ledger counts credits as positive, a journal debits. `0 -` gives 0 for an amount of zero, where `-` gives -0.
    for (const { account, asset, closing } of journals.balances) {
      const quantity = computed.get(`${account.replaceAll('/', ':')} ${asset}`) ?? '0';
      expect([account, asset, Number(quantity)]).toEqual([account, asset, 0 - Number(closing)]);
    }
  });
});
