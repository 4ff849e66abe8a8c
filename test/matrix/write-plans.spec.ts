import { ChainFixtures } from '../fixtures/chain-fixtures.js';
import { DepositScenario } from '../fixtures/deposit-scenario.js';
import { serveMoneyPath } from '../fixtures/money-path.js';
import { newHash, newProviderId, ProviderCallbacks } from '../fixtures/provider-callbacks.js';
import { signInWith } from '../fixtures/identities.js';
import { treasurySteps } from '../fixtures/treasury.js';
import { DESTINATION } from '../fixtures/withdrawals.js';
import { QueryPlans, rowsExamined } from '../harness/query-plans.js';
import { statementsDuring } from '../harness/queries.js';
import { startSeededPlatform, type SeededPlatform } from '../harness/seeded-platform.js';

// Every write must find its rows by an index. With `enable_seqscan = off` the planner scans a table sequentially only if no index
// can be used. test/matrix/query-plans.spec.ts explains the statements of lists and reports.

/** Tables whose number of rows does not grow with users or transactions. */
const ALWAYS_SMALL = new Set(['admin_account']);

const EXPLAINABLE = /^\s*(\/\*.*?\*\/\s*)?(select|with|insert|update|delete)\b/i;

describe('Query plans of writes', () => {
  let scenario: DepositScenario;
  let plans: QueryPlans;

  beforeAll(async () => {
    scenario = await DepositScenario.start();
    plans = await QueryPlans.connect(scenario.platform.env.DATABASE_URL as string, 'enable_seqscan = off');
  });
  afterAll(async () => {
    await plans?.end();
    await scenario?.stop();
  });

  const scansDuring = async (work: () => Promise<unknown>): Promise<string[]> => {
    const statements = new Map(
      (await statementsDuring(work)).map((statement) => [statement.text, statement]),
    );
    const scans: string[] = [];
    for (const statement of statements.values()) {
      if (!EXPLAINABLE.test(statement.text)) continue;
      const scanned = (await plans.nodesOf(statement))
        .filter((node) => node['Node Type'] === 'Seq Scan')
        .map((node) => node['Relation Name'] ?? '')
        .filter((table) => !ALWAYS_SMALL.has(table));
      if (scanned.length > 0)
        scans.push(`${scanned.join(', ')}: ${statement.text.replace(/\s+/g, ' ').slice(0, 200)}`);
    }
    return scans;
  };

  it('contain no sequential scan for deposits, from the report or the claim to the credit', async () => {
    const { user, address } = await scenario.userWithAddress('USDT', 'TRC20');
    const onChain = await scenario.userWithAddress('USDC', 'ERC20');
    const chain = new ChainFixtures(scenario.platform.outside.chain);
    const scans = await scansDuring(async () => {
      const report = { id: newProviderId(), hash: newHash(), address, amount: '1000' };
      await scenario.callbacks.reportDeposit({ ...report, status: 'Pending', confirmations: 0 });
      await scenario.callbacks.reportDeposit({ ...report, status: 'Success', confirmations: 20 });
      const txHash = await chain.payEther(onChain.address as `0x${string}`, '1.5');
      const claim = { txHash, amount: '1.5', currency: 'ETH', fromAddress: onChain.address };
      await scenario.platform.as(onChain.user).post('/api/user/blockchain/deposit', claim);
      await scenario.provider.pay(onChain.address, '600');
      await scenario.mineBlocks(20);
      await scenario.pollProvider();
    });
    expect(await scenario.availableBalance(user)).not.toBe('0.00');
    expect(scans).toEqual([]);
  });

  it('contain no sequential scan for investments, withdrawals, sessions, and the work of admins', async () => {
    const { platform } = scenario;
    const treasury = await treasurySteps(platform);
    const scans = await scansDuring(async () => {
      const { id } = await serveMoneyPath(platform);
      const booked = await treasury.createApproved({ type: 'deposit', userId: id });
      expect((await treasury.confirm(booked)).status).toBe(200);
      for (const status of ['suspended', 'active'])
        await platform
          .as(treasury.admin)
          .put(`/api/admin/users/${id}`, { status, reason: 'A check of the documents' });
      const { user } = await scenario.userWithAddress('USDC', 'BEP20');
      const entry = { label: 'Own', address: DESTINATION, network: 'ERC20' };
      expect((await platform.as(user).post('/api/user/addresses', entry)).status).toBe(201);
      const { data: session } = await signInWith(platform, { email: user.email });
      const { data: next } = await platform
        .as(null)
        .post('/api/auth/refresh', { refreshToken: session.refreshToken });
      expect((await platform.as(next).post('/api/auth/logout')).status).toBe(200);
      const { data: other } = await signInWith(platform, { email: user.email });
      expect((await platform.as(other).post('/api/user/lock')).status).toBe(200);
    });
    expect(scans).toEqual([]);
  });
});

describe('Reports and claims of deposits among many', () => {
  const MAX_ROWS_READ = 50;
  let seeded: SeededPlatform;
  let plans: QueryPlans;

  beforeAll(async () => {
    seeded = await startSeededPlatform({ rows: 10_000, users: 500 });
    plans = await QueryPlans.connect(seeded.platform.env.DATABASE_URL as string);
  });
  afterAll(async () => {
    await plans?.end();
    await seeded?.stop();
  });

  it('read at most 50 rows of a table with thousands', async () => {
    const { platform } = seeded;
    const callbacks = new ProviderCallbacks(platform);
    const user = await platform.given.user();
    const path = '/api/user/deposits/address?currency=USDT&network=TRC20';
    const { address } = (await platform.as(user).get(path)).data;
    const statements = await statementsDuring(async () => {
      const report = { id: newProviderId(), hash: newHash(), address, amount: '1000' };
      await callbacks.reportDeposit({ ...report, status: 'Success', confirmations: 20 });
      const claim = { txHash: newHash(), amount: '600.00', currency: 'USDC', fromAddress: DESTINATION };
      expect((await platform.as(user).post('/api/user/blockchain/deposit', claim)).status).toBe(201);
    });
    const ofDeposits = statements.filter(({ text }) => /^\s*select\b.*\bfrom "?deposit/is.test(text));
    expect(ofDeposits.length).toBeGreaterThan(3);
    for (const statement of ofDeposits) {
      const nodes = await plans.nodesOf(statement, { analyze: true });
      const read = Math.max(...nodes.map(rowsExamined));
      expect([statement.text, read <= MAX_ROWS_READ]).toEqual([statement.text, true]);
    }
  });
});
