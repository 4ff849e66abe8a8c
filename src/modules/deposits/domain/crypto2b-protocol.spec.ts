import { readDeposit } from './crypto2b-protocol.js';

const message = (id: string, error: string | null = null) => ({
  type: 'Deposit',
  id,
  status: 'Success',
  error,
  instrument: { currencyShortName: 'USDT', transportProtocol: 'trc20' },
  address: { address: 'TSenderSenderSenderSenderSenderSen' },
  transaction: { hash: 'ab'.repeat(32), amount: '600' },
});

describe('readDeposit', () => {
  it.each(['7\0', '7\ud800', '\udc007'])(
    'returns undefined for the id %j, which PostgreSQL cannot store',
    (id) => {
      expect(readDeposit(message(id))).toBeUndefined();
    },
  );

  it('leaves out an error that PostgreSQL cannot store', () => {
    expect(readDeposit(message('7', 'refused\0'))).toMatchObject({ id: '7', error: null });
    expect(readDeposit(message('7', 'refused 😀'))).toMatchObject({ id: '7', error: 'refused 😀' });
  });
});
