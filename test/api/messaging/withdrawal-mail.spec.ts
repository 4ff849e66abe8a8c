import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import {
  WITHDRAWAL_ACTIONS,
  type WithdrawalVerb,
} from '../../../src/modules/funds/withdrawals/domain/withdrawal.state-machine.js';
import { WithdrawalsService } from '../../../src/modules/funds/withdrawals/withdrawals.service.js';
import { MailScenario } from '../../fixtures/mail-scenario.js';

const SHORT_DESTINATION = '0x5aAe…eAed';

/**
 * Not `hold` and `unhold`: the wait because of the limit of the platform changes no status. Not `return`: another operator takes the
 * withdrawal, which is mailed.
 */
type MailedAction = Exclude<WithdrawalVerb, 'return'> | 'request';

/** For each action: the steps that precede it in the test, and the subject of its mail. */
const WITHDRAWAL_STEPS: Record<MailedAction, [earlier: MailedAction[], subject: string]> = {
  request: [[], 'Withdrawal of 50.00 USDC requested'],
  approve: [['request'], 'Withdrawal of 50.00 USDC approved'],
  take: [['request'], 'Withdrawal of 50.00 USDC in progress'],
  execute: [['request', 'approve'], 'Withdrawal of 50.00 USDC in progress'],
  complete: [['request', 'take'], 'Withdrawal of 50.00 USDC completed'],
  reject: [['request'], 'Withdrawal of 50.00 USDC rejected'],
  cancel: [['request'], 'Withdrawal of 50.00 USDC cancelled'],
  fail: [['request', 'take'], 'Withdrawal of 50.00 USDC failed'],
  release: [['request', 'take', 'fail'], 'Withdrawal amount of 50.00 USDC released'],
};

describe('E-mail about a withdrawal', () => {
  let scenario: MailScenario;

  beforeAll(async () => {
    scenario = await MailScenario.start();
  });
  afterAll(() => scenario?.stop());

  it('is tested for every action on withdrawals that changes the status, except a return', () => {
    const mailed = WITHDRAWAL_ACTIONS.filter((action) => !['hold', 'unhold', 'return'].includes(action));
    expect(Object.keys(WITHDRAWAL_STEPS).sort()).toEqual(mailed.sort());
  });

  it.each(Object.entries(WITHDRAWAL_STEPS) as [MailedAction, [MailedAction[], string]][])(
    'is sent once for the step %s of a withdrawal to a user who has switched off e-mail [SEC-323]',
    async (action, [earlier, subject]) => {
      const { steps, platform } = scenario;
      const ann = await scenario.userWithoutOptionalMail();
      let id = '';
      const act: Record<MailedAction, () => Promise<unknown>> = {
        request: async () => (id = (await steps.request(ann, '50.00')).data.id),
        approve: () => steps.approve(id),
        take: () => steps.take(id),
        execute: () => steps.execute(id),
        complete: () => steps.complete(id),
        reject: () => steps.reject(id, 'Unknown address'),
        cancel: () => steps.cancel(id, ann),
        fail: () => steps.fail(id),
        release: () =>
          platform.app
            .get(UnitOfWork)
            .runInTransaction((tx) =>
              platform.app.get(WithdrawalsService).releaseWithdrawal(tx, id, steps.admin),
            ),
      };
      for (const name of earlier) await act[name]();
      await scenario.forgetMailsOf(ann);
      await act[action]();
      await scenario.sendDueMails();
      const [mail, ...more] = scenario.mailsTo(ann);
      expect(more).toEqual([]);
      expect(mail?.subject).toBe(subject);
      expect(mail?.text).toContain(`Amount: 50.00 USDC\nTo: ${SHORT_DESTINATION}\n`);
      expect(mail?.text).toContain(
        'E-mail about withdrawals and the security of your account cannot be switched off.',
      );
    },
  );
});
