import { STATEMENT_FORMATS } from './statement-formats.mapper.js';
import type { StatementParts } from './statements.mapper.js';
import type { DailyGrowthResponse, MovementResponse } from './dto/statement.response.js';

const BALANCE = {
  total: '5.00',
  available: '5.00',
  invested: '0.00',
  reserved: '1.00',
  accruedEarnings: '0.50',
};
const HEAD: StatementParts['head'] = {
  currency: 'USDC',
  from: '2026-03-01',
  to: '2026-03-02',
  opening: BALANCE,
  closing: { ...BALANCE, available: '7.00', reserved: '0.00', accruedEarnings: '0.75' }, // differs from 5.00 + 1.00: formats copy it and do not compute it
};
const movement = (description: string): MovementResponse => ({
  date: '2026-03-01T10:00:00.000Z',
  type: 'deposit',
  referenceType: 'deposit',
  referenceId: 'd1',
  description,
  amount: '1.00',
  balance: '6.00',
  reservedAmount: '0.00',
  reservedBalance: '1.00',
  txHash: null,
  toAddress: null,
});
const PAYMENT: MovementResponse = {
  date: '2026-03-02T09:00:00.000Z',
  type: 'withdrawal-paid',
  referenceType: 'withdrawal',
  referenceId: 'w1',
  description: 'Paid',
  amount: '0.00',
  balance: '6.00',
  reservedAmount: '-1.00',
  reservedBalance: '0.00',
  txHash: '0xab',
  toAddress: '0xcd',
};
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
    language: 'en',
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
    expect(await textOf('csv', [[movement('One')], [movement('Two, three'), PAYMENT]], [[GROWTH]])).toBe(
      [
        'record,date,type,referenceType,referenceId,strategyId,description,amount,balance,reservedAmount,reservedBalance,invested,accruedEarnings,txHash,toAddress',
        'opening,2026-03-01,,,,,Opening balances,,5.00,,1.00,0.00,0.50,,',
        'movement,2026-03-01T10:00:00.000Z,deposit,deposit,d1,,One,1.00,6.00,0.00,1.00,,,,',
        'movement,2026-03-01T10:00:00.000Z,deposit,deposit,d1,,"Two, three",1.00,6.00,0.00,1.00,,,,',
        'movement,2026-03-02T09:00:00.000Z,withdrawal-paid,withdrawal,w1,,Paid,0.00,6.00,-1.00,0.00,,,0xab,0xcd',
        'closing,2026-03-02,,,,,Closing balances,,7.00,,0.00,0.00,0.75,,',
        'growth,2026-03-02,,,,balanced-10,,-0.000001,,,,,,,',
        '',
      ].join('\r\n'),
    );
  });
});

describe('A statement as a journal', () => {
  it('has opening balances, the movements with their balances, and closing balances', async () => {
    expect(await textOf('journal', [[movement('One'), PAYMENT]], [[GROWTH]])).toBe(
      [
        '2026-03-01 * Opening balances',
        '    assets:stablecoin platform:available  5.00 USDC = 5.00 USDC',
        '    assets:stablecoin platform:invested  0.00 USDC = 0.00 USDC',
        '    assets:stablecoin platform:reserved  1.00 USDC = 1.00 USDC',
        '    equity:opening balances  -6.00 USDC', // 5.00 + 0.00 + 1.00
        '    assets:stablecoin platform:accrued  0.50 USDC = 0.50 USDC',
        '    equity:unrealised growth  -0.50 USDC',
        '',
        '2026-03-01 * One',
        '    ; deposit deposit d1',
        '    assets:stablecoin platform:available  1.00 USDC = 6.00 USDC',
        '    equity:deposits  -1.00 USDC',
        '',
        '2026-03-02 * Paid',
        '    ; withdrawal-paid withdrawal w1, txHash:0xab, toAddress:0xcd',
        '    assets:stablecoin platform:reserved  -1.00 USDC = 0.00 USDC',
        '    equity:withdrawals  1.00 USDC',
        '',
        '2026-03-02 * Closing balances',
        '    assets:stablecoin platform:available  0.00 USDC = 7.00 USDC',
        '    assets:stablecoin platform:invested  0.00 USDC = 0.00 USDC',
        '    assets:stablecoin platform:reserved  0.00 USDC = 0.00 USDC',
        '    assets:stablecoin platform:accrued  0.25 USDC = 0.75 USDC', // 0.75 − 0.50
        '    equity:unrealised growth  -0.25 USDC',
        '',
        '; growth 2026-03-02 balanced-10 -0.000001 USDC',
        '',
      ].join('\n'),
    );
  });
});
