import { Money } from '../../../../common/money.js';
import { planBalancingTransfers, planStrategyTransfers, type PlannedTransfer } from './transfer-plan.js';

const money = (text: string) => Money.of(text);
const amounts = (byNetwork: Record<string, string>) =>
  new Map(Object.entries(byNetwork).map(([network, amount]) => [network, money(amount)]));
const asText = (transfers: PlannedTransfer[]) =>
  transfers.map(
    ({ purpose, amount, network, strategyId }) =>
      `${purpose} ${amount.toWire()} ${network}${strategyId === null ? '' : ` ${strategyId}`}`,
  );

describe('planStrategyTransfers', () => {
  const flow = (strategyId: string, invested: string, returned: string) => ({
    strategyId,
    invested: money(invested),
    returned: money(returned),
  });

  it.each([
    [
      'allocates the net of a strategy with more investments than closings',
      flow('balanced-10', '300', '120.5'),
      ['allocate 179.50 ERC20 balanced-10'],
    ], // 300 − 120.5
    [
      'deallocates the net of a strategy with more closings than investments',
      flow('balanced-10', '100', '104.25'),
      ['deallocate 4.25 ERC20 balanced-10'],
    ], // 104.25 − 100
    ['plans no transfer for a strategy whose flows balance', flow('balanced-10', '100', '100'), []],
  ])('%s', (_, flowOfStrategy, expected) => {
    expect(asText(planStrategyTransfers([flowOfStrategy]))).toEqual(expected);
  });
});

describe('planBalancingTransfers', () => {
  it.each([
    // title, received per network, moved per network, owed → transfers
    ['plans no transfer if everything is owed to users', { ERC20: '1000' }, {}, '1000', []],
    ['sweeps the surplus', { ERC20: '1000' }, {}, '800', ['sweep 200.00 ERC20']], // 1000 − 800
    [
      'does not sweep money that another transfer already takes',
      { ERC20: '1000' },
      { ERC20: '300' },
      '700',
      [],
    ], // 1000 − 300 − 700 = 0
    [
      'sweeps the surplus that another transfer brings',
      { ERC20: '500' },
      { ERC20: '-100' },
      '550',
      ['sweep 50.00 ERC20'],
    ], // 500 + 100 − 550
    [
      'sweeps first from the network that holds most',
      { BEP20: '300', ERC20: '200', TRC20: '100' },
      {},
      '150',
      ['sweep 300.00 BEP20', 'sweep 150.00 ERC20'], // 300 + 200 + 100 − 150 = 450 = 300 + 150
    ],
    [
      'sweeps networks with the same amount in the order of their names',
      { TRC20: '100', ERC20: '100' },
      {},
      '150',
      ['sweep 50.00 ERC20'],
    ], // 100 + 100 − 150
    ['deallocates the shortage', { ERC20: '100' }, {}, '150', ['deallocate 50.00 ERC20']], // 150 − 100
    [
      'deallocates money that was swept and is owed to users again',
      { BEP20: '600', ERC20: '400' },
      { BEP20: '600', ERC20: '400' },
      '1000',
      ['deallocate 1000.00 ERC20'],
    ], // 1000 owed − (600 − 600) − (400 − 400) held
    [
      'does not deallocate money that another transfer already brings',
      { ERC20: '100' },
      { ERC20: '-50' },
      '150',
      [],
    ], // 100 + 50 − 150 = 0
    ['rounds amounts down to six decimals', { BEP20: '10.000000999' }, {}, '0', ['sweep 10.00 BEP20']],
  ] as [string, Record<string, string>, Record<string, string>, string, string[]][])(
    '%s',
    (_, received, moved, owed, expected) => {
      const position = { received: amounts(received), moved: amounts(moved), owed: money(owed) };
      expect(asText(planBalancingTransfers(position))).toEqual(expected);
    },
  );
});
