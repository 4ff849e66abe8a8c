import fc from 'fast-check';
import { DomainError } from '../../../common/errors/domain-error.js';
import {
  DEPOSIT_STATUSES,
  depositStates,
  judge,
  type DepositVerb,
  type Progress,
  type Sighting,
} from './deposit.state-machine.js';

const REQUIRED = 20;
const UNSEEN: Progress = { status: 'pending', confirmations: 0, succeeded: false, held: false };

function after(progress: Progress, sighting: Sighting): Progress {
  const { verb, confirmations, succeeded } = judge(progress, sighting, REQUIRED);
  return {
    ...progress,
    confirmations,
    succeeded,
    status: verb ? depositStates.next(progress.status, verb) : progress.status,
  };
}

const word = (outcome: Sighting['outcome'], confirmations: number): Sighting => ({
  by: 'provider',
  outcome,
  confirmations,
});
const reading = (outcome: Sighting['outcome'], confirmations: number): Sighting => ({
  by: 'chain',
  outcome,
  confirmations,
});
const all = (sightings: Sighting[]): Progress => sightings.reduce(after, UNSEEN);

describe('the states of a deposit', () => {
  const ALLOWED: Record<DepositVerb, Partial<Record<string, string>>> = {
    wait: { pending: 'pending', confirming: 'pending' },
    confirm: { pending: 'confirming', confirming: 'confirming' },
    complete: { pending: 'completed', confirming: 'completed' },
    fail: { pending: 'failed', confirming: 'failed' },
  };
  const cells = Object.keys(ALLOWED).flatMap((verb) =>
    DEPOSIT_STATUSES.map(
      (status) => [verb as DepositVerb, status, ALLOWED[verb as DepositVerb][status]] as const,
    ),
  );

  it.each(cells)('%s from %s', (verb, status, expected) => {
    if (expected) expect(depositStates.next(status, verb)).toBe(expected);
    else expect(() => depositStates.next(status, verb)).toThrow(DomainError);
  });
});

describe('what follows from a sighting', () => {
  it.each([
    ['nothing yet', [word('underway', 0)], 'pending'],
    ['some confirmations', [word('underway', 0), word('underway', 1)], 'confirming'],
    ['enough confirmations without success', [word('underway', 20)], 'confirming'],
    ['success before enough confirmations', [word('succeeded', 19)], 'confirming'],
    ['success with enough confirmations', [word('succeeded', 20)], 'completed'],
    ['success first, confirmations later', [word('succeeded', 5), word('underway', 20)], 'completed'],
    ['refusal', [word('underway', 3), word('failed', 3)], 'failed'],
    ['a reorganisation', [reading('succeeded', 11), reading('underway', 0)], 'pending'],
    [
      'a reorganisation, then mined again',
      [reading('succeeded', 11), reading('underway', 0), reading('succeeded', 20)],
      'completed',
    ],
    ['a reorganisation after completion', [reading('succeeded', 20), reading('underway', 0)], 'completed'],
  ] as const)('%s', (_name, sightings, status) => {
    expect(all([...sightings]).status).toBe(status);
  });

  it('moves nothing that is held', () => {
    const held: Progress = { status: 'confirming', confirmations: 20, succeeded: true, held: true };
    for (const sighting of [word('failed', 0), reading('underway', 0), word('succeeded', 25)]) {
      expect(after(held, sighting)).toMatchObject({ status: 'confirming', succeeded: true });
    }
  });

  // A provider tells the truth about one deposit: growing confirmations, then how it ended.
  const life = fc
    .record({
      steps: fc.array(fc.integer({ min: 0, max: REQUIRED + 10 }), { maxLength: 8 }),
      end: fc.oneof(
        fc.integer({ min: REQUIRED, max: REQUIRED + 10 }).map((count) => word('succeeded', count)),
        fc.integer({ min: 0, max: REQUIRED }).map((count) => word('failed', count)),
      ),
    })
    .map(({ steps, end }) => [...steps.sort((a, b) => a - b).map((count) => word('underway', count)), end]);

  it('is the same in whatever order, and however often, the provider tells it', () => {
    const jumbled = life.chain((events) =>
      fc
        .array(fc.constantFrom(...events), { maxLength: 8 })
        .chain((repeats) =>
          fc.tuple(
            fc.constant(events),
            fc.shuffledSubarray([...events, ...repeats], { minLength: events.length + repeats.length }),
          ),
        ),
    );
    fc.assert(fc.property(jumbled, ([events, told]) => expect(all(told)).toEqual(all(events))));
  });

  it('never leaves completed or failed', () => {
    const sighting = fc.record({
      by: fc.constantFrom('provider' as const, 'chain' as const),
      outcome: fc.constantFrom('underway' as const, 'succeeded' as const, 'failed' as const),
      confirmations: fc.nat(40),
    });
    fc.assert(
      fc.property(fc.array(sighting), (sightings) => {
        let progress = UNSEEN;
        for (const next of sightings) {
          const then = after(progress, next);
          if (progress.status === 'completed' || progress.status === 'failed')
            expect(then.status).toBe(progress.status);
          progress = then;
        }
      }),
    );
  });
});
