import { parseMessage, readDeposit } from './crypto2b.js';

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

  it('ignores unknown fields', () => {
    expect(readDeposit({ ...message('7'), fees: [{ amount: '1' }] })).toMatchObject({ id: '7' });
  });

  it.each(['constructor', '__proto__', 'toString'])('ignores a field named %s at any depth', (name) => {
    const text = JSON.stringify({ ...message('7'), fees: [JSON.parse(`{"${name}": "x"}`)] });
    expect(readDeposit(parseMessage(text))).toMatchObject({ id: '7' });
  });

  it('leaves out an error that PostgreSQL cannot store, and keeps one with a character outside the BMP', () => {
    expect(readDeposit(message('7', 'refused\0'))).toMatchObject({ id: '7', error: null });
    expect(readDeposit(message('7', 'refused 😀'))).toMatchObject({ id: '7', error: 'refused 😀' });
  });
});
