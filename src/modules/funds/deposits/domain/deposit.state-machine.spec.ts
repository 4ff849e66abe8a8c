import fc from 'fast-check';
import { DomainError } from '../../../../common/errors/domain-error.js';
import {
  decideDeposit,
  DEPOSIT_STATUSES,
  depositStates,
  type DepositEvidence,
  type DepositProgress,
  type DepositVerb,
} from './deposit.state-machine.js';

const REQUIRED = 20;
const NEW: DepositProgress = { status: 'pending', confirmations: 0, succeeded: false, holdReason: null };

/** The progress of a deposit after a report (`evidence`). */
function progressAfter(progress: DepositProgress, evidence: DepositEvidence): DepositProgress {
  const { verb, confirmations, succeeded } = decideDeposit(progress, evidence, REQUIRED);
  return {
    ...progress,
    confirmations,
    succeeded,
    status: verb ? depositStates.next(progress.status, verb) : progress.status,
  };
}

const reported = (outcome: DepositEvidence['outcome'], confirmations: number): DepositEvidence => ({
  source: 'provider',
  outcome,
  confirmations,
});
const onChain = (outcome: DepositEvidence['outcome'], confirmations: number): DepositEvidence => ({
  source: 'chain',
  outcome,
  confirmations,
});
const progressAfterAll = (reports: DepositEvidence[]): DepositProgress => reports.reduce(progressAfter, NEW);

describe('depositStates', () => {
  const ALLOWED: Record<DepositVerb, Partial<Record<string, string>>> = {
    wait: { pending: 'pending', confirming: 'pending' },
    confirm: { pending: 'confirming', confirming: 'confirming' },
    complete: { pending: 'completed', confirming: 'completed' },
    fail: { pending: 'failed', confirming: 'failed' },
  };
  const transitions = Object.keys(ALLOWED).flatMap((verb) =>
    DEPOSIT_STATUSES.map(
      (status) => [verb as DepositVerb, status, ALLOWED[verb as DepositVerb][status] ?? 'an error'] as const,
    ),
  );

  it.each(transitions)('the verb %s in the status %s leads to %s', (verb, status, expected) => {
    if (expected !== 'an error') expect(depositStates.next(status, verb)).toBe(expected);
    else expect(() => depositStates.next(status, verb)).toThrow(DomainError);
  });
});

describe('decideDeposit', () => {
  it.each([
    ['no confirmation', [reported('underway', 0)], 'pending'],
    ['some confirmations', [reported('underway', 0), reported('underway', 1)], 'confirming'],
    ['enough confirmations without success', [reported('underway', 20)], 'confirming'],
    ['success before enough confirmations', [reported('succeeded', 19)], 'confirming'],
    ['success with enough confirmations', [reported('succeeded', 20)], 'completed'],
    ['success first, confirmations later', [reported('succeeded', 5), reported('underway', 20)], 'completed'],
    ['a report that it failed', [reported('underway', 3), reported('failed', 3)], 'failed'],
    ['a reorganisation of the chain', [onChain('succeeded', 11), onChain('underway', 0)], 'pending'],
    [
      'a reorganisation of the chain, then a second mining',
      [onChain('succeeded', 11), onChain('underway', 0), onChain('succeeded', 20)],
      'completed',
    ],
    [
      'a reorganisation of the chain after completion',
      [onChain('succeeded', 20), onChain('underway', 0)],
      'completed',
    ],
  ] as const)('decides the status of a deposit after %s', (_name, reports, status) => {
    expect(progressAfterAll([...reports]).status).toBe(status);
  });

  it.each([
    ['BELOW_MINIMUM', 'failed'],
    ['BOOKED_BY_HAND', 'confirming'],
  ] as const)(
    'keeps a deposit held as %s confirming after other reports than of failure; after one of failure it is %s',
    (holdReason, status) => {
      const held: DepositProgress = { status: 'confirming', confirmations: 20, succeeded: true, holdReason };
      for (const evidence of [onChain('underway', 0), reported('succeeded', 25)])
        expect(progressAfter(held, evidence)).toMatchObject({ status: 'confirming', succeeded: true });
      expect(progressAfter(held, reported('failed', 0)).status).toBe(status);
    },
  );

  it('keeps a held deposit without success after a reorganisation has removed it, whatever is reported', () => {
    const removed: DepositProgress = { ...NEW, status: 'confirming', holdReason: 'BELOW_MINIMUM' };
    for (const evidence of [onChain('succeeded', 1), reported('succeeded', 25)])
      expect(progressAfter(removed, evidence).succeeded).toBe(false);
  });

  // A consistent provider reports growing confirmations of one deposit, then its outcome.
  const consistentReports = fc
    .record({
      steps: fc.array(fc.integer({ min: 0, max: REQUIRED + 10 }), { maxLength: 8 }),
      end: fc.oneof(
        fc.integer({ min: REQUIRED, max: REQUIRED + 10 }).map((count) => reported('succeeded', count)),
        fc.integer({ min: 0, max: REQUIRED }).map((count) => reported('failed', count)),
      ),
    })
    .map(({ steps, end }) => [
      ...steps.sort((a, b) => a - b).map((count) => reported('underway', count)),
      end,
    ]);

  it('reaches the same state in any order and with any repetition of the reports', () => {
    const shuffled = consistentReports.chain((reports) =>
      fc
        .array(fc.constantFrom(...reports), { maxLength: 8 })
        .chain((repeats) =>
          fc.tuple(
            fc.constant(reports),
            fc.shuffledSubarray([...reports, ...repeats], { minLength: reports.length + repeats.length }),
          ),
        ),
    );
    fc.assert(
      fc.property(shuffled, ([reports, received]) =>
        expect(progressAfterAll(received)).toEqual(progressAfterAll(reports)),
      ),
    );
  });

  it('never changes the status of a completed or failed deposit', () => {
    const evidence = fc.record({
      source: fc.constantFrom('provider' as const, 'chain' as const),
      outcome: fc.constantFrom('underway' as const, 'succeeded' as const, 'failed' as const),
      confirmations: fc.nat(40),
    });
    fc.assert(
      fc.property(fc.array(evidence), (reports) => {
        let progress = NEW;
        for (const report of reports) {
          const next = progressAfter(progress, report);
          if (progress.status === 'completed' || progress.status === 'failed')
            expect(next.status).toBe(progress.status);
          progress = next;
        }
      }),
    );
  });
});
