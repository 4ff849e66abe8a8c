import { Money } from '../../../src/common/money.js';
import { ExpectedAccount } from './expected-account.js';
import { differences, type ApiState } from './comparison.js';

// Tests the comparison with states that a faulty service would leave.

const expected = new ExpectedAccount();
expected.deposits.set('0xpaid', Money.of('1000'));
expected.addWithdrawal('w-paid', '100');
expected.withdrawals.get('w-paid')?.verbs.push('take', 'complete');
expected.addWithdrawal('w-failed', '50');
expected.withdrawals.get('w-failed')?.verbs.push('take', 'fail');
expected.addWithdrawal('w-rejected', '70');
expected.withdrawals.get('w-rejected')?.verbs.push('reject');
expected.addInvestment('i-open', '200', 'active');
expected.investments.get('i-open')?.closings.push({ principal: Money.of('20'), paid: Money.of('21') });
expected.addInvestment('i-moved', '30', 'active');
expected.investments.get('i-moved')?.verbs.push('move');
expected.addInvestment('i-next', '33', 'active', true);
expected.bookings.set('b', { type: 'deposit', amount: Money.of('5'), verbs: ['approve', 'confirm'] });

const apiState: ApiState = {
  funds: {
    available: '646.00', // 1000 − 100 − 50 − 200 + 21 − 30 + 5
    reserved: '50.00',
    invested: '213.00', // 200 − 20 + 33
  },
  deposits: [{ id: '0xpaid', status: 'completed', amount: '1000.00' }],
  withdrawals: [
    { id: 'w-paid', status: 'completed', amount: '100.00' },
    { id: 'w-failed', status: 'failed', amount: '50.00' },
    { id: 'w-rejected', status: 'rejected', amount: '70.00' },
  ],
  investments: [
    { id: 'i-open', status: 'active', amount: '180.00' },
    { id: 'i-next', status: 'active', amount: '33.00' },
  ],
  bookings: [{ id: 'b', status: 'confirmed', amount: '5.00' }],
};

it('the comparison reports no difference for equal states', () => {
  expect(differences(expected, apiState)).toEqual([]);
});

it.each<[string, Partial<ApiState>, string[]]>([
  [
    'a lost withdrawal',
    { withdrawals: apiState.withdrawals.slice(1) },
    ['lost: withdrawals w-paid completed 100.00'],
  ],
  [
    'a withdrawal that a retry created again',
    { withdrawals: [...apiState.withdrawals, { id: 'w-again', status: 'pending', amount: '70.00' }] },
    ['unexpected: withdrawals w-again pending 70.00'],
  ],
  [
    'a deposit that two callbacks credited',
    {
      deposits: [...apiState.deposits, ...apiState.deposits],
      funds: { ...apiState.funds, available: '1646.00' },
    },
    ['available is 1646.00, not 646.00', '2 times: deposits 0xpaid completed 1000.00'],
  ],
  [
    'a deposit whose acknowledged callbacks had no effect',
    { deposits: [{ id: '0xpaid', status: 'confirming', amount: '1000.00' }] },
    ['different: deposits 0xpaid confirming 1000.00, not 0xpaid completed 1000.00'],
  ],
  [
    'a lost completion',
    {
      withdrawals: [
        { id: 'w-paid', status: 'processing', amount: '100.00' },
        ...apiState.withdrawals.slice(1),
      ],
      funds: { ...apiState.funds, reserved: '150.00' },
    },
    [
      'reserved is 150.00, not 50.00',
      'different: withdrawals w-paid processing 100.00, not w-paid completed 100.00',
    ],
  ],
  [
    'money reserved without a withdrawal',
    { funds: { ...apiState.funds, available: '636.00', reserved: '60.00' } },
    ['available is 636.00, not 646.00', 'reserved is 60.00, not 50.00'],
  ],
])('the comparison reports %s', (_, change, reported) => {
  expect(differences(expected, { ...apiState, ...change })).toEqual(reported);
});

it('the comparison reports contradictory responses', () => {
  const account = new ExpectedAccount();
  account.addWithdrawal('w', '10');
  account.withdrawals.get('w')?.verbs.push('take', 'take', 'complete');
  account.addWithdrawal('x', '10');
  account.withdrawals.get('x')?.verbs.push('cancel', 'complete');
  const actual: ApiState = {
    deposits: [],
    investments: [],
    bookings: [],
    funds: { available: '-20.00', reserved: '0.00', invested: '0.00' }, // two withdrawals of 10 from 0
    withdrawals: ['w', 'x'].map((id) => ({ id, status: 'completed', amount: '10.00' })),
  };
  expect(differences(account, actual)).toEqual([
    'the API acknowledged an impossible sequence for w: take, take, complete',
    'the API acknowledged an impossible sequence for x: cancel, complete',
  ]);
});
