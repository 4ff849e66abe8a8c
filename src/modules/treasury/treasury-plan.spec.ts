import { Money } from '../../common/money.js';
import { planStrategies, planRest, type PlannedTransfer } from './treasury-plan.js';

const money = (text: string) => Money.of(text);
const amounts = (of: Record<string, string>) =>
  new Map(Object.entries(of).map(([network, amount]) => [network, money(amount)]));
const told = (transfers: PlannedTransfer[]) =>
  transfers.map(
    ({ purpose, amount, network, strategyId }) =>
      `${purpose} ${amount.toWire()} ${network}${strategyId === null ? '' : ` ${strategyId}`}`,
  );

describe('what a run plans for the strategies', () => {
  const flow = (strategyId: string, invested: string, returned: string) => ({
    strategyId,
    invested: money(invested),
    returned: money(returned),
  });

  it.each([
    [
      'more invested than paid back',
      flow('balanced-10', '300', '120.5'),
      ['allocate 179.50 ERC20 balanced-10'],
    ], // 300 − 120.5
    [
      'more paid back than invested',
      flow('balanced-10', '100', '104.25'),
      ['deallocate 4.25 ERC20 balanced-10'],
    ], // 104.25 − 100
    ['as much as', flow('balanced-10', '100', '100'), []],
  ])('%s', (_, given, expected) => {
    expect(told(planStrategies([given]))).toEqual(expected);
  });
});

describe('what a run plans for the rest', () => {
  it.each([
    // received, moved, owed → transfers
    ['nothing while all is owed', { ERC20: '1000' }, {}, '1000', []],
    ['what is not owed', { ERC20: '1000' }, {}, '800', ['sweep 200.00 ERC20']], // 1000 − 800
    ['nothing that a transfer takes already', { ERC20: '1000' }, { ERC20: '300' }, '700', []], // 1000 − 300 − 700
    ['what a transfer brings too much', { ERC20: '500' }, { ERC20: '-100' }, '550', ['sweep 50.00 ERC20']], // 500 + 100 − 550
    [
      'from where most is first',
      { BEP20: '300', ERC20: '200', TRC20: '100' },
      {},
      '150',
      ['sweep 300.00 BEP20', 'sweep 150.00 ERC20'], // 300 + 200 + 100 − 150 = 450 = 300 + 150
    ],
    ['back what is owed and not there', { ERC20: '100' }, {}, '150', ['deallocate 50.00 ERC20']], // 150 − 100
    [
      'back what a transfer has taken that is owed again',
      { BEP20: '600', ERC20: '400' },
      { BEP20: '600', ERC20: '400' },
      '1000',
      ['deallocate 1000.00 ERC20'],
    ],
    ['nothing back that a transfer brings', { ERC20: '100' }, { ERC20: '-50' }, '150', []], // 100 + 50 − 150
    ['no fraction of a millionth', { BEP20: '10.000000999' }, {}, '0', ['sweep 10.00 BEP20']],
  ] as [string, Record<string, string>, Record<string, string>, string, string[]][])(
    '%s',
    (_, received, moved, owed, expected) => {
      const position = { received: amounts(received), moved: amounts(moved), owed: money(owed) };
      expect(told(planRest(position))).toEqual(expected);
    },
  );
});
