import { Money } from '../../../common/money.js';
import { DepositProvider, type ProviderPage } from '../../funds/deposits/deposit-provider.client.js';
import type { ProviderDeposit } from '../../funds/deposits/domain/deposit-reports.js';
import { ProviderStatementService } from './provider-statement.service.js';

/** A provider that has a list and no other call. */
class ListedProvider extends DepositProvider {
  readonly offsets: number[] = [];

  constructor(private readonly items: (ProviderDeposit | 'malformed')[]) {
    super();
  }

  async listDeposits(offset: number, limit: number): Promise<ProviderPage> {
    this.offsets.push(offset);
    const page = this.items.slice(offset, offset + limit);
    const deposits = page.filter((item) => item !== 'malformed');
    return { deposits, unreadable: page.length - deposits.length, isLast: page.length < limit };
  }

  createAddress = () => Promise.reject(new Error('not expected'));
  findDeposit = () => Promise.reject(new Error('not expected'));
}

const deposit = (id: number, day: string, overrides: Partial<ProviderDeposit> = {}): ProviderDeposit => ({
  id: String(id),
  status: 'Success',
  currency: 'USDT',
  network: 'TRC20',
  address: 'T',
  senderAddress: null,
  hash: 'AB',
  amount: Money.of('1'),
  confirmations: 20,
  error: null,
  date: new Date(`${day}T10:00:00Z`),
  ...overrides,
});
const range = { from: '2026-03-05', to: '2026-03-06' };
const depositsOn = (count: number, day: string, firstId = 0) =>
  Array.from({ length: count }, (_, index) => deposit(firstId + index, day));

describe('ProviderStatementService', () => {
  it('returns the days of the range and one day on either side, and stops at the first page with only older items', async () => {
    const items = [
      deposit(1, '2026-03-08'),
      deposit(2, '2026-03-07'),
      ...depositsOn(150, '2026-03-05', 100),
      deposit(3, '2026-03-04'),
      ...depositsOn(500, '2026-03-03', 1000),
    ];
    const provider = new ListedProvider(items);
    const { lines, unreadable } = await new ProviderStatementService(provider).fetchStatement(range);
    expect(lines).toHaveLength(152); // 150 in the range, one the day before, one the day after
    expect(lines.map(({ reference }) => reference)).not.toContain('1');
    expect(lines[0]).toMatchObject({
      reference: '2',
      line: 1,
      direction: 'in',
      txHash: 'ab',
      status: 'settled',
    });
    expect([unreadable, provider.offsets]).toEqual([0, [0, 100, 200]]);
  });

  it('returns an item once if two pages contain it, and counts malformed items', async () => {
    const items = [
      ...depositsOn(99, '2026-03-05'), // ids 0 to 98
      deposit(99, '2026-03-05'), // the last item of the first page
      deposit(99, '2026-03-05'), // the first item of the second page
      'malformed' as const,
      deposit(200, '2026-03-05', { date: null }),
      deposit(201, '2026-03-05', { status: 'Perhaps' }),
    ];
    const { lines, unreadable } = await new ProviderStatementService(
      new ListedProvider(items),
    ).fetchStatement(range);
    expect(lines).toHaveLength(100); // ids 0 to 99
    expect(unreadable).toBe(3); // malformed, without a date, with an unknown status
  });

  it('rejects a range whose items fill all pages that may be read', async () => {
    const provider = new ListedProvider(depositsOn(20_000, '2026-03-05')); // 200 pages of 100 items
    await expect(new ProviderStatementService(provider).fetchStatement(range)).rejects.toMatchObject({
      code: 'INVALID_DATE_RANGE',
    });
  });
});
