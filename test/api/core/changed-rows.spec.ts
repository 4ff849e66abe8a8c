import { DepositScenario } from '../../fixtures/deposit-scenario.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { executeWithoutTriggers, queryWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import { violated } from '../../fixtures/violations.js';
import { UNKNOWN_ID, withdrawalSteps, type WithdrawalSteps } from '../../fixtures/withdrawals.js';

const REFUSED = expect.objectContaining({ code: '23001' }); // restrict_violation

describe('Somebody who can write one table', () => {
  let scenario: DepositScenario;
  let withdrawals: WithdrawalSteps;
  const sql = (text: string, parameters: unknown[] = []) =>
    scenario.platform.dataSource.query(text, parameters);

  beforeAll(async () => {
    scenario = await DepositScenario.start({ FOUR_EYES: 'off' });
    withdrawals = await withdrawalSteps(scenario.platform);
  });
  afterAll(() => scenario?.stop());

  /** Names of the invariants that a check reports as violated. */
  const check = () => violated(scenario.platform, withdrawals.admin);
  const resume = () =>
    scenario.platform.as(withdrawals.admin).post('/api/admin/integrity/resume', { reason: 'Put right' });

  /** A deposit of 1 USDC, which is held because it is below the minimum of 500.00. */
  async function heldDeposit() {
    const { user, address } = await scenario.userWithAddress('USDC', 'TRC20');
    await scenario.callbacks.reportDeposit({ currency: 'USDC', address, amount: '1' });
    const { id } = await scenario.onlyDeposit(user);
    return { user, address, id };
  }

  it('cannot change the amount, the user or the transaction of a held deposit [SEC-420]', async () => {
    const { id } = await heldDeposit();
    for (const change of [
      'amount = 1000000',
      `user_id = '${UNKNOWN_ID}'`,
      `tx_hash = 'another'`,
      `to_address = 'another'`,
    ])
      await expect(sql(`update deposit set ${change} where id = $1`, [id])).rejects.toEqual(REFUSED);
    await expect(sql('delete from deposit where id = $1', [id])).rejects.toEqual(REFUSED);
  });

  it('gains nothing by raising the amount of a held deposit: the integrity check reports it, and it is not credited [SEC-421]', async () => {
    const { user, address, id } = await heldDeposit();
    await executeWithoutTriggers(scenario.platform, `update deposit set amount = 1000000 where id = '${id}'`);
    expect(await check()).toEqual(['suspense']);
    await scenario.callbacks.reportDeposit({ currency: 'USDC', address, amount: '500' });
    expect(await scenario.availableBalance(user)).toBe('500.00'); // without the changed one, which would be credited together with this one
    const { data: alerts } = await scenario.platform
      .as(withdrawals.admin)
      .get('/api/admin/alerts?status=open');
    expect(alerts).toContainEqual(
      expect.objectContaining({ kind: 'record-differs', subject: expect.objectContaining({ id }) }),
    );
    await executeWithoutTriggers(scenario.platform, `update deposit set amount = 1 where id = '${id}'`);
    expect((await resume()).data.stillBroken).toEqual([]);
    await scenario.callbacks.reportDeposit({ currency: 'USDC', address, amount: '500' });
    expect(await scenario.availableBalance(user)).toBe('1001.00'); // 500 + 1 + 500
  });

  describe('cannot divert a withdrawal', () => {
    const THIEF = '0x1111111111111111111111111111111111111111';
    let id: string;

    beforeAll(async () => {
      const ann = await scenario.platform.given.user().withBalance('1000.00');
      id = (await withdrawals.request(ann, '50.00')).data.id;
    });

    it.each([
      ['withdrawal', `to_address = '${THIEF}'`, 'id = $1'],
      ['withdrawal', 'amount = 500', 'id = $1'],
      ['withdrawal', `user_id = '${UNKNOWN_ID}'`, 'id = $1'],
      ['withdrawal_event', `by_id = 'nobody'`, 'withdrawal_id = $1'],
    ])('by a change of %s: %s is refused [SEC-422]', async (table, change, where) => {
      await expect(sql(`update ${table} set ${change} where ${where}`, [id])).rejects.toEqual(REFUSED);
      await expect(sql(`delete from ${table} where ${where}`, [id])).rejects.toEqual(REFUSED);
    });

    it.each([
      ['withdrawal', `to_address = '${THIEF}'`, ['history']],
      ['withdrawal', `status = 'approved', approved_at = now(), approved_by = 'eve'`, ['withdrawal-steps']],
      ['user_transaction', `to_address = '${THIEF}'`, ['history']],
      ['user_transaction', 'amount = 500, balance_change = -500', ['transaction-history', 'history']],
    ])(
      'by a change of %s without triggers, %s: the integrity check reports it [SEC-423]',
      async (table, change, names) => {
        const where = table === 'withdrawal' ? `id = '${id}'` : `reference_id = '${id}'`;
        const [before] = await sql(`select * from ${table} where ${where}`);
        await executeWithoutTriggers(scenario.platform, `update ${table} set ${change} where ${where}`);
        expect(await check()).toEqual(names);
        // Puts the columns back that the cases change.
        const columns =
          table === 'withdrawal'
            ? ['to_address', 'status', 'approved_at', 'approved_by']
            : ['to_address', 'amount', 'balance_change'];
        const assignments = columns.map((column, index) => `${column} = $${index + 1}`).join(', ');
        const values = columns.map((column) => before[column]);
        await queryWithoutTriggers(
          scenario.platform,
          `update ${table} set ${assignments} where ${where}`,
          values,
        );
        expect((await resume()).data.stillBroken).toEqual([]);
      },
    );
  });

  describe('cannot rewrite unnoticed who approved and who took a withdrawal', () => {
    const AT = `'2026-03-05T10:00:00Z'`;
    let id: string;
    let taker: TestAdmin;

    beforeAll(async () => {
      const { given } = scenario.platform;
      const ann = await given.user().withBalance('1000.00');
      taker = await given.admin('operator');
      id = (await withdrawals.request(ann, '50.00')).data.id;
      await withdrawals.approve(id);
      expect((await withdrawals.take(id, taker)).status).toBe(200);
    });

    const change = (values: string) => `update withdrawal set ${values} where id = '${id}'`;
    const forgedStep = (status: string, verb: string, by: string) =>
      `insert into withdrawal_event (withdrawal_id, status, verb, at, by_type, by_id)
       values ('${id}', '${status}', '${verb}', ${AT}, 'admin', '${by}')`;
    const timeOf = (verb: string) =>
      `(select at from withdrawal_event where withdrawal_id = '${id}' and verb = '${verb}')`;
    const undoTaking = () =>
      change(
        `status = 'pending', approved_at = null, approved_by = null, executed_at = null, taken_by = null`,
      );
    const takeAgain = (approvedBy: string, takenBy: string) =>
      change(`status = 'processing', approved_at = ${timeOf('approve')}, approved_by = '${approvedBy}',
              executed_at = ${timeOf('take')}, taken_by = '${takenBy}'`);

    /** Executes the statements, with the triggers, returns the names of the invariants that are violated then, and undoes the changes. */
    async function violatedAfter(statements: readonly string[]): Promise<string[]> {
      const [before] = await sql('select * from withdrawal where id = $1', [id]);
      const [{ last }] = await sql('select max(id) as last from withdrawal_event');
      for (const statement of statements) await sql(statement);
      const names = await check();
      await queryWithoutTriggers(scenario.platform, 'delete from withdrawal_event where id > $1', [last]);
      await queryWithoutTriggers(
        scenario.platform,
        'update withdrawal set status = $2, approved_at = $3, approved_by = $4, executed_at = $5, taken_by = $6 where id = $1',
        [id, before.status, before.approved_at, before.approved_by, before.executed_at, before.taken_by],
      );
      expect((await resume()).data.stillBroken).toEqual([]);
      return names;
    }

    it('by a return and a taking in two updates, which the triggers permit [SEC-806]', async () => {
      const approver = withdrawals.admin.email;
      expect(await violatedAfter([undoTaking(), takeAgain('eve', taker.email)])).toEqual([
        'withdrawal-steps',
      ]);
      expect(await violatedAfter([undoTaking(), takeAgain(approver, 'eve')])).toEqual(['withdrawal-steps']);
    });

    it('by forged steps of a return and a taking, which have no audit entries [SEC-807]', async () => {
      const forged = [
        undoTaking(),
        forgedStep('pending', 'return', taker.email),
        change(`status = 'processing', executed_at = ${AT}, taken_by = 'eve'`),
        forgedStep('processing', 'take', 'eve'),
      ];
      expect(await violatedAfter(forged)).toEqual(['decisions']);
    });

    it('by a forged step of a taking alone, which has no audit entry [SEC-812]', async () => {
      const forged = [
        undoTaking(),
        change(`status = 'processing', approved_at = ${timeOf('approve')}, approved_by = '${withdrawals.admin.email}',
                executed_at = ${AT}, taken_by = 'eve'`),
        forgedStep('processing', 'take', 'eve'),
      ];
      expect(await violatedAfter(forged)).toEqual(['decisions']);
    });

    it('by a second approval after a return, which has the audit entry of the first one only [SEC-808]', async () => {
      expect((await withdrawals.return(id, 'Not today', taker)).status).toBe(200);
      expect(await check()).toEqual([]);
      const forged = [
        change(`status = 'approved', approved_at = ${AT}, approved_by = 'eve'`),
        forgedStep('approved', 'approve', 'eve'),
      ];
      expect(await violatedAfter(forged)).toEqual(['decisions']);
    });
  });
});
