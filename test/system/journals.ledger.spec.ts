import {
  JOURNALS,
  type Journals,
  runProgram,
  startJournals,
  withWrongBalance,
} from '../fixtures/journals.js';
import type { TestPlatform } from '../harness/platform.js';

describe('The program ledger', () => {
  let platform: TestPlatform;
  let journals: Journals;
  beforeAll(async () => {
    ({ platform, journals } = await startJournals());
  });
  afterAll(() => platform?.stop());

  it.each(JOURNALS)('accepts the journal of %s with all its balance assertions', (_, name) => {
    expect(runProgram('ledger', '-f', journals[name], 'bal').status).toBe(0);
  });

  it('computes balances that sum to zero in every asset', () => {
    const { output } = runProgram('ledger', '-f', journals.ofAllDays, 'bal', '--flat', '--no-color');
    expect(output.trim().split('\n').at(-1)?.trim()).toBe('0');
  });

  it('refuses a journal with a wrong balance assertion', () => {
    const { status, output } = runProgram('ledger', '-f', withWrongBalance(journals.ofMarch), 'bal');
    expect([status === 0, output]).toEqual([false, expect.stringContaining('assertion')]);
  });
});
