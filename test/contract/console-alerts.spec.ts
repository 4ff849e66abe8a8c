import { readdirSync, readFileSync } from 'node:fs';
import { Money } from '../../src/common/money.js';
import { ALERT_KINDS, type NewAlert } from '../../src/modules/core/alerts/alerts.types.js';
import {
  paidAfterFailureAlert,
  reorganisedAlert,
  secondTransferAlert,
  unconfirmedAlert,
} from '../../src/modules/funds/deposits/domain/deposit-texts.js';
import type { ProviderReport } from '../../src/modules/funds/deposits/domain/deposit-reports.js';
import type { Deposit } from '../../src/modules/funds/deposits/entities/deposit.entity.js';
import { latePaymentAlert } from '../../src/modules/funds/withdrawals/domain/alerts-and-approvals.js';
import type { Withdrawal } from '../../src/modules/funds/withdrawals/entities/withdrawal.entity.js';
import { loadConsoleModule } from '../harness/console-modules.js';

/** The sources of the modules, with joined texts. */
const modulesOfService = (): string =>
  readdirSync(MODULES, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!spec)\.ts$/.test(name))
    .map((name) => readFileSync(new URL(name, MODULES), 'utf8'))
    .join('\n')
    .replaceAll(/['`] \+\s+['`]/g, '');

const MODULES = new URL('../../src/modules/', import.meta.url);
const ID = '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11';

/** The alerts whose next step depends on the case, each with parts of its German. */
function alertsByCase(): [NewAlert, ...string[]][] {
  const amount = Money.of('5.00');
  const deposit = {
    id: ID,
    userId: ID,
    txHash: '0xab',
    network: 'ERC20',
    currency: 'USDC',
    amount,
  } as Deposit;
  const withdrawal = { id: ID, userId: ID, amount, currency: 'USDC', toAddress: '0xcd', txHash: '0xef' };
  const late = (state: object, payment: object) =>
    latePaymentAlert({ ...withdrawal, releasedAt: null, cancelledAt: null, ...state } as Withdrawal, '0xab', {
      senders: ['0x12'],
      isFromCustody: false,
      ...payment,
    });
  const unconfirmed = (confirmations: number) =>
    unconfirmedAlert({ ...deposit, confirmations, requiredConfirmations: 12 } as Deposit);
  const byHand = `mit der Id ${ID}) aus dem Guthaben`;
  return [
    [late({ status: 'failed' }, {}), 'Nur wenn', 'mit diesem Hash ab', 'offene Rückbuchung ab', byHand],
    [late({ status: 'completed' }, {}), 'Nur wenn', 'hat den Betrag zweimal', byHand],
    [
      late({ status: 'rejected' }, { isFromCustody: true }),
      'Die Verwahrstelle hat',
      'den Betrag zweimal',
      byHand,
    ],
    [
      late({ status: 'rejected' }, { paid: Money.of('6.00') }),
      'Nur wenn',
      'hat das Gezahlte zweimal',
      byHand,
    ],
    [
      reorganisedAlert({ ...deposit, credited: amount }, 'it vanished'),
      'Zahlen Sie keine',
      `mit der Id ${ID}`,
    ],
    [reorganisedAlert({ ...deposit, credited: null }, 'it vanished'), 'Zahlen Sie keine', 'keine Buchung'],
    [paidAfterFailureAlert(deposit, 'chain'), 'Gab es die Überweisung, buchen Sie sie', 'USDC über ERC20'],
    [unconfirmed(3), 'Hat sie 12 Bestätigungen', 'die Warnung erledigt sich.'],
    [unconfirmed(0), 'Sendet der Anbieter keine, buchen Sie', 'mit dem Hash'],
    [secondTransferAlert(deposit, { ...deposit, hash: '0xab' } as unknown as ProviderReport), 'ohne Hash'],
  ];
}

describe('The German next step of an alert about money', () => {
  it('depends on the case', async () => {
    const { germanStep } = await loadConsoleModule<{ germanStep: (text: string) => string | undefined }>(
      'console/alerts/next-steps',
      'ui/phrases',
    );
    for (const [{ nextStep }, ...parts] of alertsByCase())
      for (const part of parts) expect(germanStep(nextStep)).toContain(part);
    expect(germanStep('Pay the user.')).toBeUndefined();
  });

  it('is not the same for all alerts of a kind whose cases differ', async () => {
    const { ALERTS } = await loadConsoleModule<{ ALERTS: Record<string, { german: string[] }> }>(
      'console/alerts/alert-texts',
    );
    // A kind whose next step depends on the case has a German message only.
    const hasFixedStep = (kind: string) => ALERTS[kind]?.german.length === 2;
    const byCase = new Set<string>(alertsByCase().map(([{ kind }]) => kind));
    expect(ALERT_KINDS.filter((kind) => !hasFixedStep(kind))).toEqual(
      ALERT_KINDS.filter((kind) => byCase.has(kind)),
    );
  });
});

describe('The English next step of an alert', () => {
  it('names the screens of the console in place of requests to the API', async () => {
    const { REQUESTS, englishStep } = await loadConsoleModule<{
      REQUESTS: [string, string][];
      englishStep: (text: string) => string;
    }>('console/alerts/next-steps', 'ui/phrases');
    const steps = alertsByCase().map(([{ nextStep }]) => nextStep);
    expect(steps.filter((step) => step.includes('/api/')).length).toBeGreaterThan(5);
    for (const step of steps) expect(englishStep(step)).not.toContain('/api/');
    const service = modulesOfService();
    for (const [request] of REQUESTS) expect(service).toContain(request);
    const known = REQUESTS.map(([request]) => request).join('\n');
    for (const [route] of service.matchAll(/(?<=nextStep:[^;]*)(?:GET|POST|PUT|DELETE) \/api\/[^ ?',.`]+/g))
      expect(known).toContain(route);
  });
});
