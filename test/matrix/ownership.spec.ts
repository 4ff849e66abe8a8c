import { RouteAudit } from '../../src/http/auth/route-audit.js';
import { Jobs } from '../../src/jobs/jobs.service.js';
import type { Reply } from '../harness/http-client.js';
import type { TestUser } from '../fixtures/given.js';
import { addPasskey } from '../fixtures/step-ups.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { givenKey, SCOPE_OF_ROUTE } from '../fixtures/api-keys.js';
import { newWallet, WalletSteps } from '../fixtures/wallets.js';
import { newHash } from '../fixtures/provider-callbacks.js';
import { DESTINATION, UNKNOWN_ID } from '../fixtures/withdrawals.js';
import { queryWithoutTriggers } from '../fixtures/ledger-corruption.js';

// Isolation of users: every user route with an id, called with the id of another user's resource and with unknown ids.

/** A route whose id names a resource of one user, and its error codes for another user's resource and an unknown id. */
interface ResourceRoute {
  resource:
    | 'api-key'
    | 'investment'
    | 'transaction'
    | 'deposit'
    | 'withdrawal'
    | 'notification'
    | 'webhook'
    | 'wallet'
    | 'address'
    | 'session'
    | 'passkey';
  ofOtherUser: string;
  unknown: string;
  body?: object;
}

const COMPARED_TABLES =
  `deposit investment withdrawal withdrawal_event user_transaction notification webhook_subscription
  webhook_delivery wallet api_key withdrawal_address session passkey`.split(/\s+/);

const INVESTMENT = {
  resource: 'investment',
  ofOtherUser: 'PERMISSION_DENIED',
  unknown: 'INVESTMENT_NOT_FOUND',
} as const;
const DEPOSIT = {
  resource: 'deposit',
  ofOtherUser: 'PERMISSION_DENIED',
  unknown: 'DEPOSIT_NOT_FOUND',
} as const;
const WITHDRAWAL = {
  resource: 'withdrawal',
  ofOtherUser: 'PERMISSION_DENIED',
  unknown: 'WITHDRAWAL_NOT_FOUND',
} as const;

const WEBHOOK = {
  resource: 'webhook',
  ofOtherUser: 'PERMISSION_DENIED',
  unknown: 'WEBHOOK_NOT_FOUND',
} as const;

/** Wallets of other users and unknown wallets get the same code. */
const WALLET = { resource: 'wallet', ofOtherUser: 'WALLET_NOT_FOUND', unknown: 'WALLET_NOT_FOUND' } as const;

const ADDRESS = {
  resource: 'address',
  ofOtherUser: 'ADDRESS_NOT_FOUND',
  unknown: 'ADDRESS_NOT_FOUND',
} as const;

const API_KEY = {
  resource: 'api-key',
  ofOtherUser: 'API_KEY_NOT_FOUND',
  unknown: 'API_KEY_NOT_FOUND',
} as const;
const PASSKEY = {
  resource: 'passkey',
  ofOtherUser: 'PASSKEY_NOT_FOUND',
  unknown: 'PASSKEY_NOT_FOUND',
} as const;
const SESSION = {
  resource: 'session',
  ofOtherUser: 'SESSION_NOT_FOUND',
  unknown: 'SESSION_NOT_FOUND',
} as const;

const ROUTES: Record<string, ResourceRoute | 'shared by all users' | 'tested in second-factors.spec.ts'> = {
  'GET /api/user/investments/:id': INVESTMENT,
  'GET /api/user/investments/:id/quote': INVESTMENT,
  'GET /api/user/investments/:id/receipt': INVESTMENT,
  'GET /api/user/deposits/:id/receipt': DEPOSIT,
  'GET /api/user/withdrawals/:id/receipt': WITHDRAWAL,
  'PUT /api/user/investments/:id': { ...INVESTMENT, body: { strategyId: 'aggressive-20' } },
  'DELETE /api/user/investments/:id': INVESTMENT,
  'POST /api/user/investments/:id/cancel': INVESTMENT,
  'GET /api/user/deposits/:id': DEPOSIT,
  'GET /api/user/withdrawals/:id': WITHDRAWAL,
  'POST /api/user/withdrawals/:id/cancel': WITHDRAWAL,
  'GET /api/user/transactions/:id': {
    resource: 'transaction',
    ofOtherUser: 'FORBIDDEN',
    unknown: 'TRANSACTION_NOT_FOUND',
  },
  'GET /api/user/transactions/:id/proof': {
    resource: 'transaction',
    ofOtherUser: 'PERMISSION_DENIED',
    unknown: 'TRANSACTION_NOT_FOUND',
  },
  'PUT /api/user/notifications/:id/read': {
    resource: 'notification',
    ofOtherUser: 'PERMISSION_DENIED',
    unknown: 'NOTIFICATION_NOT_FOUND',
  },
  'GET /api/user/webhooks/:id': WEBHOOK,
  'PUT /api/user/webhooks/:id': { ...WEBHOOK, body: { description: 'Mine' } },
  'DELETE /api/user/webhooks/:id': WEBHOOK,
  'POST /api/user/webhooks/:id/rotate-secret': WEBHOOK,
  'POST /api/user/webhooks/:id/test': WEBHOOK,
  'GET /api/user/webhooks/:id/deliveries': WEBHOOK,
  'POST /api/user/webhooks/:id/deliveries/:deliveryId/redeliver': WEBHOOK,
  'DELETE /api/user/wallets/:id': WALLET,
  'DELETE /api/user/sessions/:id': SESSION,
  'PUT /api/user/addresses/:id': { ...ADDRESS, body: { label: 'Mine' } },
  'DELETE /api/user/addresses/:id': ADDRESS,
  'DELETE /api/user/api-keys/:id': API_KEY,
  'DELETE /api/user/passkeys/:id': PASSKEY,
  'POST /api/user/step-up/:id/verify': 'tested in second-factors.spec.ts', // the same refusal for both, with a reason
  'GET /api/user/strategies/:id': 'shared by all users',
  'GET /api/user/strategies/:id/performance': 'shared by all users',
};

const RESOURCE_ROUTES = Object.entries(ROUTES).filter(
  (entry): entry is [string, ResourceRoute] => typeof entry[1] === 'object',
);

describe('A resource of another user', () => {
  let platform: TestPlatform;
  let ann: TestUser;
  let eve: TestUser;
  let resources: Record<ResourceRoute['resource'], string>;
  let deliveryId: string; // of Ann's webhook
  let requestCount = 0;

  beforeAll(async () => {
    platform = await startPlatform();
    ann = await platform.given.user().withBalance('1000.00');
    eve = await platform.given.user().withBalance('1000.00');
    const as = platform.as(ann);
    const strategyId = 'balanced-10';
    const investment = await as.post('/api/user/investments', { strategyId, amount: '123.45' });
    const request = { amount: '67.89', currency: 'USDC', toAddress: DESTINATION };
    const withdrawal = await as.post('/api/user/withdrawals', request);
    const claim = { txHash: newHash(), amount: '600.00', currency: 'USDC', fromAddress: DESTINATION };
    const deposit = await as.post('/api/user/blockchain/deposit', claim);
    const receiver = { url: 'http://127.0.0.1:9/', events: ['deposit.seen'] };
    const webhook = (await as.post('/api/user/webhooks', receiver)).data.id as string;
    deliveryId = (await as.post(`/api/user/webhooks/${webhook}/test`)).data.id;
    await platform.app.get(Jobs).queue('webhook-deliveries').drain(); // completes deliveries, because the tests compare all rows
    const entry = { label: 'Safe', address: DESTINATION, network: 'ERC20' };
    const address = (await as.post('/api/user/addresses', entry)).data.id as string;
    const wallets = new WalletSteps(platform);
    const wallet = await wallets.connect(ann, await wallets.signChallenge(newWallet()));
    resources = {
      'api-key': (await givenKey(platform, ann)).id,
      wallet: wallet.data.id,
      passkey: (await addPasskey(platform, ann)).added.data.id,
      session: (await as.get('/api/user/sessions')).data[0].id,
      address,
      webhook,
      deposit: deposit.data.id,
      investment: investment.data.id,
      withdrawal: withdrawal.data.id,
      transaction: (await as.get('/api/user/transactions')).data[0].id,
      notification: (await as.get('/api/user/notifications')).data[0].id,
    };
  });
  afterAll(() => platform?.stop());

  const ask = (user: { token: string }, route: string, id: string): Promise<Reply> => {
    requestCount++;
    const [method, path] = route.split(' ') as [string, string];
    const pathWithIds = path.replace(':id', id).replace(':deliveryId', deliveryId);
    return platform.as(user).call(method, pathWithIds, (ROUTES[route] as ResourceRoute).body);
  };

  /** All rows of the compared tables and the ledger. */
  const allRows = async () => {
    const [rows] = await platform.dataSource.query(
      `select ${COMPARED_TABLES.map((table) => `(select json_agg(t order by id) from ${table} as t) as ${table}`).join()}`,
    );
    return { rows, ledger: await platform.ledgerState() };
  };

  /** The response without the fields that differ in every response. */
  const comparable = ({ status, body }: Reply) => {
    const {
      timestamp: _timestamp,
      traceId: _traceId,
      spanId: _spanId,
      trace_id: _trace_id,
      ...fields
    } = body;
    return { status, ...fields };
  };

  it('is tested at every user route with an id', () => {
    const routes = platform.app.get(RouteAudit).routes();
    const withId = routes.filter(({ rule, path }) => rule?.access === 'user' && path.includes('/:'));
    expect(withId.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(ROUTES).sort());
  });

  it.each(RESOURCE_ROUTES)(
    '%s: is refused without details and without a change [SEC-014]',
    async (route, { resource, ofOtherUser, unknown }) => {
      const before = await allRows();
      const reply = await ask(eve, route, resources[resource]);
      const { error, ...response } = comparable(reply);
      expect(response).toEqual({ status: ofOtherUser === unknown ? 404 : 403, success: false });
      expect(error).toEqual({ code: ofOtherUser, message: expect.any(String) }); // no details
      expect(JSON.stringify(reply.body)).not.toContain(resources[resource]);
      expect(await allRows()).toEqual(before);
    },
  );

  it.each(RESOURCE_ROUTES)(
    '%s: is refused with the same response in another state of the resource',
    async (route, { resource }) => {
      const stateChanges: Record<string, string> = {
        investment: `update investment set status = 'closed', ended_at = now(), final_value = amount where id = $1`,
        withdrawal: `update withdrawal set status = 'processing' where id = $1`,
        'api-key': 'update api_key set expires_at = now() where id = $1',
        webhook: `update webhook_subscription set status = 'disabled', disabled_reason = 'user' where id = $1`,
        address: `update withdrawal_address set usable_from = now() + interval '1 year' where id = $1`,
        session: `update refresh_token set spent_at = now() where family_id = $1`,
        passkey: 'update passkey set last_used_at = now() where id = $1',
        wallet: 'update wallet set suspended_at = now() where id = $1',
        notification: 'update notification set read_at = now() where id = $1',
        deposit: `update deposit set status = 'failed', failure = 'vanished', reason = 'Vanished' where id = $1`,
        transaction: `update user_transaction set status = 'cancelled', completed_at = null where id = $1`,
      };
      const expected = comparable(await ask(eve, route, resources[resource]));
      await queryWithoutTriggers(platform, stateChanges[resource] as string, [resources[resource]]);
      expect(comparable(await ask(eve, route, resources[resource]))).toEqual(expected);
    },
  );

  it.each(RESOURCE_ROUTES)(
    '%s: is not changed by requests with an unknown id, which get 404 [SEC-043]',
    async (route, { unknown }) => {
      const before = await allRows();
      for (const id of [UNKNOWN_ID, '1', 'balanced-10', `${UNKNOWN_ID}'--`]) {
        expect(await ask(eve, route, id)).toMatchObject({ status: 404, code: unknown });
      }
      expect(await allRows()).toEqual(before);
    },
  );

  it('is not revealed in the tests above, which send seven requests to each route', () => {
    expect(requestCount).toBe(RESOURCE_ROUTES.length * 7); // the three tests send 1 + 2 + 4
    recordGuarantee('G-26', `${requestCount} ids tried at ${RESOURCE_ROUTES.length} routes, 0 revealed`);
  });

  it('is refused to an API key with the same response as to the user of the key', async () => {
    const keyOfEve = await givenKey(platform, eve);
    const openToKeys = RESOURCE_ROUTES.filter(([route]) => route in SCOPE_OF_ROUTE);
    expect(openToKeys.length).toBeGreaterThan(5);
    for (const [route, { resource }] of openToKeys) {
      const byUser = await ask(eve, route, resources[resource]);
      const byKey = await ask(keyOfEve, route, resources[resource]);
      expect([route, comparable(byKey)]).toEqual([route, comparable(byUser)]);
    }
  });

  it('is not part of any list [SEC-096]', async () => {
    const lists = [
      'investments',
      'withdrawals',
      'transactions',
      'transactions?view=chain',
      'notifications',
      'deposits',
      'webhooks',
      'wallets',
      'api-keys',
      'addresses',
      'sessions',
    ];
    for (const list of lists) {
      const { status, body } = await platform.as(eve).get(`/api/user/${list}`);
      expect(status).toBe(200);
      for (const id of [...Object.values(resources), ann.id, ann.email]) {
        expect(JSON.stringify(body)).not.toContain(id);
      }
    }
  });
});
