import { newId } from '../../src/kernel/ids.js';
import { YieldReports } from '../../src/modules/strategies/yield-reports.service.js';
import type { TestAdmin, TestUser } from './given.js';
import type { TestPlatform } from './platform.js';
import { newHash } from './provider-callbacks.js';
import { REQUESTS, TRANSACTIONS, treasurySteps } from './treasury.js';
import {
  ADMIN_PATH,
  DESTINATION,
  NOBODYS,
  unknownHash,
  USER_PATH,
  type WithdrawalSteps,
} from './withdrawals.js';

const INVESTMENTS = '/api/user/investments';
const YIELD_REPORTS = '/api/admin/yield-reports';
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

  const ofTransaction = (verb: string, status: 'pending' | 'processing', body?: object) => async () => {
    const steps = await treasurySteps(stage.platform);
    const wish = { type: 'deposit', userId: (await stage.platform.given.user()).id };
    const id = status === 'pending' ? (await steps.ask(wish)).data.id : await steps.approved(wish);
    return onOne(steps.admin2, 'POST', TRANSACTIONS, id, verb, body);
  };

  const ofTreasury = (verb: string) => async () => {
    const steps = await treasurySteps(stage.platform);
    await steps.approved({ type: 'transfer' });
    const unknown = { body: { unknown: true } };
    return {
      by: steps.admin,
      method: 'POST',
      path: `${TRANSACTIONS}/${verb}`,
      other: unknown,
      wrong: unknown,
    };
  };

  const approved = async () => {
    const made = await stage.steps.pending();
    await stage.steps.approve(made.id);
    return made;
  };

  /** Beyond the tolerance: 8 points above the target. */
  const yieldReport = async () => {
    const { app, clock, dataSource } = stage.platform;
    const report = { eventId: newId(), strategyId: 'balanced-10', day: clock.today(), apy: '18' };
    await app.get(YieldReports).record({ ...report, realisedAmount: '1.00' });
    const [row] = await dataSource.query('select id from yield_report where event_id = $1', [report.eventId]);
    return row as { id: string };
  };

  const onYieldReport = (verb: string, body?: object) => async () =>
    onOne(stage.steps.admin, 'POST', YIELD_REPORTS, (await yieldReport()).id, verb, body);

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
    [`POST ${TRANSACTIONS}`]: async () => {
      const userId = (await stage.platform.given.user()).id;
      const body = { type: 'deposit', userId, amount: '10.00', currency: 'USDC', description: 'By hand' };
      return {
        by: stage.steps.admin,
        method: 'POST',
        path: TRANSACTIONS,
        body,
        other: { body: { ...body, amount: '11.00' } },
        wrong: { body: { ...body, userId: NOBODYS } },
      };
    },
    [`POST ${TRANSACTIONS}/generate`]: ofTreasury('generate'),
    [`POST ${TRANSACTIONS}/execute`]: ofTreasury('execute'),
    [`POST ${TRANSACTIONS}/:id/approve`]: ofTransaction('/approve', 'pending'),
    [`POST ${TRANSACTIONS}/:id/reject`]: ofTransaction('/reject', 'pending', { reason: 'No' }),
    [`POST ${TRANSACTIONS}/:id/confirm`]: ofTransaction('/confirm', 'processing', {}),
    [`POST ${REQUESTS}/:id/complete`]: async () => {
      const { requestId } = await (await treasurySteps(stage.platform)).handedOut();
      return onOne(stage.steps.admin, 'POST', REQUESTS, requestId, '/complete', { txHash: unknownHash() });
    },
    [`PUT ${ADMIN_PATH}/:id/reject`]: byAdmin('PUT', '/reject', () => stage.steps.pending(), {
      reason: 'No',
    }),
    [`POST ${YIELD_REPORTS}/:id/accept`]: onYieldReport('/accept'),
    [`POST ${YIELD_REPORTS}/:id/reject`]: onYieldReport('/reject', { reason: 'No' }),
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
