// The requests of a client on the money path, and a mix of them.
import { randomBytes, randomUUID } from 'node:crypto';
import { bearer, deposit } from './platform.mjs';

const DESTINATION = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc';

/** The headers of a request with a new idempotency key. */
const keyed = (token) => ({ ...bearer(token), 'Idempotency-Key': randomUUID() });
export const INVESTMENT = { strategyId: 'balanced-10', amount: '10.00', currency: 'USDC' };

const get = ({ call }, { token }, path) => call('GET', path, { headers: bearer(token) });

const invest = ({ call }, { token }) =>
  call('POST', '/api/user/investments', { headers: keyed(token), body: INVESTMENT, status: 201 });

/** Requests a withdrawal and returns its id. */
async function requestWithdrawal({ call }, { token }) {
  const body = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
  const answer = await call('POST', '/api/user/withdrawals', { headers: keyed(token), body, status: 201 });
  return /"id":"([^"]+)"/.exec(answer)[1];
}

const take = ({ call }, admin, id) =>
  call('POST', `/api/admin/withdrawals/${id}/take`, { headers: keyed(admin) });

function complete({ call }, admin, id) {
  const body = { txHash: `0x${randomBytes(32).toString('hex')}` };
  return call('POST', `/api/admin/withdrawals/${id}/complete`, { headers: keyed(admin), body });
}

/** The requests of each measure for one user. */
export const CALLS = {
  balance: (caller, user) => get(caller, user, '/api/user/balance'),
  investment: invest,
  withdrawal: async (caller, user, admin) => {
    const id = await requestWithdrawal(caller, user);
    await take(caller, admin, id);
    await complete(caller, admin, id);
  },
};

/** Each request of the mix is a random one of these twenty: 16 reads, 3 investments and deposits, 1 step of a withdrawal. */
const MIX = [
  ...Array(6).fill('balance'),
  ...Array(3).fill('dashboard'),
  'transactions',
  'transactions',
  'investments',
  'investments',
  'withdrawals',
  'notifications',
  'deposits',
  'investment',
  'investment',
  'deposit',
  'withdrawal',
];

/** Returns a function that returns the next request of the mix, `{name, once}`; `once` sends it with a caller. */
export function mixOf({ users, admin }) {
  const requested = [];
  const taken = [];
  /** Completes a withdrawal that is taken; otherwise takes one that is requested; otherwise requests one. */
  const withdrawalStep = async (caller, user) => {
    const toComplete = taken.shift();
    if (toComplete) return complete(caller, admin, toComplete);
    const toTake = requested.shift();
    if (!toTake) return requested.push(await requestWithdrawal(caller, user));
    await take(caller, admin, toTake);
    return taken.push(toTake);
  };
  const steps = {
    investment: invest,
    deposit: (caller, user) => deposit(caller, user, '1000'),
    withdrawal: withdrawalStep,
  };
  return () => {
    const name = MIX[Math.floor(Math.random() * MIX.length)];
    const user = users[Math.floor(Math.random() * users.length)];
    const once = steps[name] ?? ((caller) => get(caller, user, `/api/user/${name}`));
    return { name, once: (caller) => once(caller, user) };
  };
}
