import { Money } from '../../../src/common/money.js';
import { Expected } from './expected.js';
import { differences, type Found } from './verdict.js';

// What the endurance runs are judged by: fed with what a careless service would leave behind.

const expected = new Expected();
expected.deposits.set('0xpaid', Money.of('1000'));
expected.withdrawn('w-paid', '100');
expected.withdrawals.get('w-paid')?.verbs.push('take', 'complete');
expected.withdrawn('w-failed', '50');
expected.withdrawals.get('w-failed')?.verbs.push('take', 'fail');
expected.withdrawn('w-rejected', '70');
expected.withdrawals.get('w-rejected')?.verbs.push('reject');
expected.invested('i-open', '200', 'active');
expected.investments.get('i-open')?.closings.push({ principal: Money.of('20'), paid: Money.of('21') });
expected.invested('i-moved', '30', 'active');
expected.investments.get('i-moved')?.verbs.push('move');
expected.invested('i-next', '33', 'active', true);
expected.bookings.set('b', { type: 'deposit', amount: Money.of('5'), verbs: ['approve', 'confirm'] });

const right: Found = {
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
    { id: 'i-moved', status: 'closed', amount: 'ended' },
    { id: 'i-next', status: 'active', amount: '33.00' },
  ],
  bookings: [{ id: 'b', status: 'confirmed', amount: '5.00' }],
};

it('finds no difference where there is none', () => {
  expect(differences(expected, right)).toEqual([]);
});

it.each<[string, Partial<Found>, string[]]>([
  [
    'a withdrawal that was answered and is not there',
    { withdrawals: right.withdrawals.slice(1) },
    ['lost: withdrawals w-paid completed 100.00'],
  ],
  [
    'a retry that was done once more',
    { withdrawals: [...right.withdrawals, { id: 'w-again', status: 'pending', amount: '70.00' }] },
    ["nobody's: withdrawals w-again pending 70.00"],
  ],
  [
    'a deposit that two callbacks have credited',
    {
      deposits: [...right.deposits, ...right.deposits],
      funds: { ...right.funds, available: '1646.00' },
    },
    ['available is 1646.00, not 646.00', '2 times: deposits 0xpaid completed 1000.00'],
  ],
  [
    'a deposit whose callbacks were answered and forgotten',
    { deposits: [{ id: '0xpaid', status: 'confirming', amount: '1000.00' }] },
    ['different: deposits 0xpaid confirming 1000.00, not 0xpaid completed 1000.00'],
  ],
  [
    'a completion that was answered and not kept',
    {
      withdrawals: [{ id: 'w-paid', status: 'processing', amount: '100.00' }, ...right.withdrawals.slice(1)],
      funds: { ...right.funds, reserved: '150.00' },
    },
    [
      'reserved is 150.00, not 50.00',
      'different: withdrawals w-paid processing 100.00, not w-paid completed 100.00',
    ],
  ],
  [
    'money that was reserved by nothing',
    { funds: { ...right.funds, available: '636.00', reserved: '60.00' } },
    ['available is 636.00, not 646.00', 'reserved is 60.00, not 50.00'],
  ],
])('tells of %s', (_, change, told) => {
  expect(differences(expected, { ...right, ...change })).toEqual(told);
});

it('tells of answers that contradict each other', () => {
  const both = new Expected();
  both.withdrawn('w', '10');
  both.withdrawals.get('w')?.verbs.push('take', 'take', 'complete');
  both.withdrawn('x', '10');
  both.withdrawals.get('x')?.verbs.push('cancel', 'complete');
  const found: Found = {
    ...{ deposits: [], investments: [], bookings: [] },
    funds: { available: '-20.00', reserved: '0.00', invested: '0.00' },
    withdrawals: ['w', 'x'].map((id) => ({ id, status: 'completed', amount: '10.00' })),
  };
  expect(differences(both, found)).toEqual([
    'w was answered take, take, complete: that can not be',
    'x was answered cancel, complete: that can not be',
  ]);
});
