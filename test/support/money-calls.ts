import type { TestAdmin, TestUser } from './given.js';
import type { TestPlatform } from './platform.js';
import { newHash } from './provider-callbacks.js';
import {
  ADMIN_PATH,
  DESTINATION,
  NOBODYS,
  unknownHash,
  USER_PATH,
  type WithdrawalSteps,
} from './withdrawals.js';

const INVESTMENTS = '/api/user/investments';
const ADMIN_INVESTMENTS = '/api/admin/investments';
/** What the stage's INVESTMENT_APPROVAL_THRESHOLD has to let wait. */
const LARGE = '5000.00';

/** A call that moves money or decides about it, everything in place for it to succeed; a user makes it or an admin. */
export interface MoneyCall {
  by: TestAdmin;
  method: string;
  path: string;
  body?: object;
  /** What makes it another request. */
  other: { path?: string; body?: object };
  /** What makes it one that is refused. */
  wrong: { path?: string; body?: object };
}

/** Where the calls are made; it may be filled after the table has been read. */
export interface MoneyStage {
  platform: TestPlatform;
  steps: WithdrawalSteps;
}

/** For every route that takes an Idempotency-Key: how to come to a call of it. */
export function moneyCalls(stage: MoneyStage): Record<string, () => Promise<MoneyCall>> {
  const investment = async () => {
    const user = await stage.platform.given.user().withBalance('1000.00');
    const body = { strategyId: 'balanced-10', amount: '100.00' };
    return { user, id: (await stage.platform.as(user).post(INVESTMENTS, body)).data.id as string };
  };

  const onInvestment = (method: string, verb: string, body?: object) => async () => {
    const { user, id } = await investment();
    return onOne(user, method, INVESTMENTS, id, verb, body);
  };

  const investmentByAdmin = (method: string, verb: string, amount: string, body?: object) => async () => {
    const user = await stage.platform.given.user().withBalance(LARGE);
    const made = await stage.platform.as(user).post(INVESTMENTS, { strategyId: 'balanced-10', amount });
    return onOne(stage.steps.admin, method, ADMIN_INVESTMENTS, made.data.id, verb, body);
  };

  const byAdmin =
    (method: string, verb: string, prepare: () => Promise<{ id: string }>, body?: object) => async () =>
      onOne(stage.steps.admin, method, ADMIN_PATH, (await prepare()).id, verb, body);

  const approved = async () => {
    const made = await stage.steps.pending();
    await stage.steps.approve(made.id);
    return made;
  };

  return {
    [`POST ${INVESTMENTS}`]: async () => {
      const body = { strategyId: 'balanced-10', amount: '100.00' };
      return {
        by: await stage.platform.given.user().withBalance('1000.00'),
        method: 'POST',
        path: INVESTMENTS,
        body,
        other: { body: { ...body, amount: '100.01' } },
        wrong: { body: { ...body, amount: '1000.01' } },
      };
    },
    [`DELETE ${INVESTMENTS}/:id`]: onInvestment('DELETE', ''),
    [`PUT ${INVESTMENTS}/:id`]: onInvestment('PUT', '', { strategyId: 'aggressive-20' }),
    [`POST ${INVESTMENTS}/:id/cancel`]: onInvestment('POST', '/cancel'),
    [`PUT ${ADMIN_INVESTMENTS}/:id/approve`]: investmentByAdmin('PUT', '/approve', LARGE),
    [`PUT ${ADMIN_INVESTMENTS}/:id/reject`]: investmentByAdmin('PUT', '/reject', LARGE, { reason: 'No' }),
    [`POST ${ADMIN_INVESTMENTS}/:id/close`]: investmentByAdmin('POST', '/close', '100.00', {
      amount: '40.00',
    }),
    [`POST ${USER_PATH}`]: async () => {
      const body = { amount: '100.00', currency: 'USDC', toAddress: DESTINATION };
      return {
        by: await stage.platform.given.user().withBalance('1000.00'),
        method: 'POST',
        path: USER_PATH,
        body,
        other: { body: { ...body, amount: '99.00' } },
        wrong: { body: { ...body, toAddress: '0x1' } },
      };
    },
    [`POST ${USER_PATH}/:id/cancel`]: async () => {
      const { id, ann } = await stage.steps.pending();
      return onOne(ann, 'POST', USER_PATH, id, '/cancel');
    },
    'POST /api/user/blockchain/deposit': async () => {
      const body = { txHash: newHash(), amount: '600.00', currency: 'USDC', fromAddress: DESTINATION };
      return {
        by: await stage.platform.given.user(),
        method: 'POST',
        path: '/api/user/blockchain/deposit',
        body,
        other: { body: { ...body, txHash: newHash() } },
        wrong: { body: { ...body, amount: '1.00' } },
      };
    },
    [`POST ${ADMIN_PATH}/bulk-take`]: async () => {
      const ids = [(await stage.steps.pending()).id, NOBODYS, (await stage.steps.pending()).id];
      const path = `${ADMIN_PATH}/bulk-take`;
      const other = { body: { ids: ids.slice(0, 2) } };
      return {
        by: stage.steps.admin,
        method: 'POST',
        path,
        body: { ids },
        other,
        wrong: { body: { ids: [] } },
      };
    },
    [`POST ${ADMIN_PATH}/:id/take`]: byAdmin('POST', '/take', () => stage.steps.pending()),
    [`POST ${ADMIN_PATH}/:id/complete`]: async () => {
      const { id } = await stage.steps.processing();
      return onOne(stage.steps.admin, 'POST', ADMIN_PATH, id, '/complete', { txHash: unknownHash() });
    },
    [`PUT ${ADMIN_PATH}/:id/approve`]: byAdmin('PUT', '/approve', () => stage.steps.pending()),
    [`PUT ${ADMIN_PATH}/:id/execute`]: byAdmin('PUT', '/execute', approved),
    [`PUT ${ADMIN_PATH}/:id/reject`]: byAdmin('PUT', '/reject', () => stage.steps.pending(), {
      reason: 'No',
    }),
  };
}

function onOne(
  by: TestUser | TestAdmin,
  method: string,
  base: string,
  id: string,
  verb: string,
  body?: object,
): MoneyCall {
  const nobodys = { path: `${base}/${NOBODYS}${verb}` };
  return {
    by,
    method,
    path: `${base}/${id}${verb}`,
    ...(body ? { body } : {}),
    other: nobodys,
    wrong: nobodys,
  };
}

/** Sends a call, with a key when one is given. */
export function send(
  platform: TestPlatform,
  call: Omit<MoneyCall, 'other' | 'wrong'>,
  key?: string,
  at?: string,
) {
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  return platform.as(call.by, at).call(call.method, call.path, call.body, { headers });
}

/** Counts of everything that such a call leaves behind, and the ledger's balances. */
export async function traces(
  platform: TestPlatform,
): Promise<{ counts: Record<string, number>; ledger: unknown }> {
  const tables = [
    'ledger_transaction',
    'ledger_entry',
    'investment',
    'investment_closing',
    'withdrawal',
    'withdrawal_event',
    'deposit',
    'audit_entry',
  ];
  const shown = ['user_transaction', 'notification', 'idempotency_result'];
  const [counts] = await platform.dataSource.query(
    `select ${[...tables, ...shown].map((table) => `(select count(*)::int from ${table}) as ${table}`).join()}`,
  );
  return { counts, ledger: await platform.ledgerState() };
}
