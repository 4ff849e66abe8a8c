import { STATEMENT_FORMATS } from './statement-formats.mapper.js';
import type { StatementParts } from './statements.mapper.js';
import type { DailyGrowthResponse, MovementResponse } from './dto/statement.response.js';

const BALANCE = {
  total: '5.00',
  available: '5.00',
  invested: '0.00',
  reserved: '0.00',
  accruedEarnings: '0.00',
};
const HEAD: StatementParts['head'] = {
  currency: 'USDC',
  from: '2026-03-01',
  to: '2026-03-02',
  opening: BALANCE,
  closing: { ...BALANCE, available: '7.00' }, // differs from 5.00 + 1.00: formats copy it and do not compute it
};
const movement = (description: string): MovementResponse => ({
  date: '2026-03-01T10:00:00.000Z',
  type: 'deposit',
  referenceType: 'deposit',
  referenceId: 'd1',
  description,
  amount: '1.00',
  balance: '6.00',
});
const GROWTH: DailyGrowthResponse = { date: '2026-03-02', strategyId: 'balanced-10', growth: '-0.000001' };

async function* batchesOf<T>(...batches: T[]): AsyncGenerator<T, void> {
  for (const batch of batches) yield batch;
}

async function textOf(
  format: 'json' | 'csv' | 'journal',
  movements: MovementResponse[][],
  growth: DailyGrowthResponse[][],
) {
  const parts: StatementParts = {
    head: HEAD,
    movements: batchesOf(...movements),
    growth: batchesOf(...growth),
  };
  let text = '';
  const envelope = { success: true };
  for await (const piece of STATEMENT_FORMATS[format].write(parts, envelope)) text += piece;
  return text;
}

describe('A statement in JSON', () => {
  it.each([
    ['no batches', [], []],
    ['one batch', [[movement('One')]], [[GROWTH]]],
    ['empty batches between others', [[], [movement('One')], [], [movement('Two')], []], [[], [GROWTH], []]],
    ['several batches', [[movement('One'), movement('Two')], [movement('"Three"\n')]], [[GROWTH], [GROWTH]]],
  ])('of %s is one document', async (_, movements, growth) => {
    expect(JSON.parse(await textOf('json', movements, growth))).toEqual({
      success: true,
      data: { ...HEAD, movements: movements.flat(), growth: growth.flat() },
    });
  });
});

describe('A statement in CSV', () => {
  it('is a table with a header row, and lines that end with CR LF', async () => {
    expect(await textOf('csv', [[movement('One')], [movement('Two, three')]], [[GROWTH]])).toBe(
      [
        'record,date,type,referenceType,referenceId,strategyId,description,amount,balance',
        'opening,2026-03-01,,,,,Opening available balance,,5.00',
        'movement,2026-03-01T10:00:00.000Z,deposit,deposit,d1,,One,1.00,6.00',
        'movement,2026-03-01T10:00:00.000Z,deposit,deposit,d1,,"Two, three",1.00,6.00',
        'closing,2026-03-02,,,,,Closing available balance,,7.00',
        'growth,2026-03-02,,,,balanced-10,,-0.000001,',
        '',
      ].join('\r\n'),
    );
  });
});

describe('A statement as a journal', () => {
  it('has opening balances, the movements with their balances, and closing balances', async () => {
    expect(await textOf('journal', [[movement('One')]], [[GROWTH]])).toBe(
      [
        '2026-03-01 * Opening balances',
        '    assets:stablecoin platform:available  5.00 USDC = 5.00 USDC',
        '    assets:stablecoin platform:invested  0.00 USDC = 0.00 USDC',
        '    assets:stablecoin platform:reserved  0.00 USDC = 0.00 USDC',
        '    equity:opening balances  -5.00 USDC',
        '',
        '2026-03-01 * One',
        '    ; deposit deposit d1',
        '    assets:stablecoin platform:available  1.00 USDC = 6.00 USDC',
        '    equity:deposits  -1.00 USDC',
        '',
        '2026-03-02 * Withdrawals paid, and closing balances',
        '    equity:withdrawals  0.00 USDC',
        '    assets:stablecoin platform:reserved  0.00 USDC = 0.00 USDC',
        '    assets:stablecoin platform:available  0.00 USDC = 7.00 USDC',
        '    assets:stablecoin platform:invested  0.00 USDC = 0.00 USDC',
        '',
        '; growth 2026-03-02 balanced-10 -0.000001 USDC',
        '',
      ].join('\n'),
    );
  });
});
