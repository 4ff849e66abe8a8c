import { FAUCET_ADDRESS, TREASURY_ADDRESS } from '../../../src/sandbox/anvil.js';
import { LatePaymentScenario } from '../../fixtures/late-payments.js';

/** Starts a platform with this setting on which a withdrawal is paid and then rejected, in this order, and runs the job. */
async function rejectAfterPayment(CUSTODY_ADDRESSES: string) {
  const scenario = await LatePaymentScenario.start({ FOUR_EYES: 'off', CUSTODY_ADDRESSES });
  try {
    const id = await scenario.createProcessing('250.00');
    const hash = await scenario.pay('250.00'); // from TREASURY_ADDRESS
    expect((await scenario.steps.withdrawals.reject(id)).status).toBe(200);
    await scenario.runJob();
    return { hash, alerts: await scenario.alertsOf(id) };
  } finally {
    await scenario.stop();
  }
}

describe('The alert about a withdrawal that was paid and then rejected', () => {
  it('names the sender and says that it is not checked, without CUSTODY_ADDRESSES [SEC-313]', async () => {
    const { hash, alerts } = await rejectAfterPayment('');
    expect(alerts).toMatchObject([{ kind: 'withdrawal-paid-after-failure', subject: { txHash: hash } }]);
    const [{ message, nextStep }] = alerts;
    expect(message).toContain(`The sender is ${TREASURY_ADDRESS}. CUSTODY_ADDRESSES is not set`);
    expect(nextStep).toMatch(/^Check who sent it\. If custody did, the user has the amount twice/);
  });

  it('names the sender if it is an address of custody', async () => {
    const { alerts } = await rejectAfterPayment(`${FAUCET_ADDRESS},${TREASURY_ADDRESS}`);
    expect(alerts).toMatchObject([{ kind: 'withdrawal-paid-after-failure' }]);
    expect(alerts[0].message).toContain(`The sender is ${TREASURY_ADDRESS}. CUSTODY_ADDRESSES names it.`);
    expect(alerts[0].nextStep).toMatch(/^Since custody sent it, the user has the amount twice/);
  });

  it('is not raised if the sender is not an address of custody, so that users who pay themselves cause none [SEC-318]', async () => {
    expect((await rejectAfterPayment(FAUCET_ADDRESS)).alerts).toEqual([]);
  });
});
