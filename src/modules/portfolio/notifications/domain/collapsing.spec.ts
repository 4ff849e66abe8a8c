import fc from 'fast-check';
import { DAY_MS, MINUTE_MS } from '../../../../common/durations.js';
import { newId } from '../../../../common/ids.js';
import type { Notification } from '../entities/notification.entity.js';
import type { NotificationContent } from '../notifications.types.js';
import { collapse, type Arrival } from './collapsing.js';

const START = Date.parse('2026-03-02T10:00:00.000Z');
const WINDOW_MS = 10 * MINUTE_MS;

const contentOf = (text: string): NotificationContent => ({
  type: 'deposit',
  priority: 'normal',
  category: 'transaction',
  title: 'Deposit credited',
  message: `${text} USDC is available.`,
  actionUrl: `/deposits/${text}`,
  metadata: { amount: text },
});

/** An arrival `ms` after the start; its text is the number of the arrival. */
const arrivalAt = (ms: number, text: string, more: Partial<Arrival> = {}): Arrival => ({
  id: newId(),
  userId: 'ann',
  at: new Date(START + ms),
  kind: 'deposit.completed',
  language: 'en',
  content: contentOf(text),
  ...more,
});

const minutes = (...of: number[]): Arrival[] =>
  of.map((minute, index) => arrivalAt(minute * MINUTE_MS, String(index + 1)));

/** `title | message | count`, as a user sees it. */
const shown = ({ title, message, metadata }: Notification): string =>
  [title, message, metadata.count ?? 'single'].join(' | ');

/** The stored notifications after each batch was collapsed with those before it, oldest first. */
function storeBatches(batches: readonly (readonly Arrival[])[]): Notification[] {
  const rows = new Map<string, Notification>();
  for (const batch of batches) {
    const stored = [...rows.values()].map((row) => ({ ...row })); // read from the database
    const { added, grown } = collapse(batch, stored);
    for (const row of grown) expect(rows.has(row.id)).toBe(true);
    for (const row of added) expect(rows.has(row.id)).toBe(false);
    for (const row of [...added, ...grown]) rows.set(row.id, row);
  }
  return [...rows.values()];
}

describe('collapse', () => {
  it('adds the first notification as it is', () => {
    const [arrival] = minutes(0) as [Arrival];
    expect(collapse([arrival], [])).toEqual({
      added: [
        {
          ...arrival.content,
          id: arrival.id,
          userId: 'ann',
          priorityRank: 2,
          createdAt: arrival.at,
          readAt: null,
          onceKey: null,
          kind: 'deposit.completed',
          repeats: null,
        },
      ],
      grown: [],
    });
  });

  it('adds the second within ten minutes as a notification with a count of one, and lets it grow', () => {
    const arrivals = minutes(0, 3, 5, 9);
    const rows = storeBatches(arrivals.map((arrival) => [arrival]));
    expect(rows.map(shown)).toEqual([
      'Deposit credited | 1 USDC is available. | single',
      'Deposit credited: 3 more | 3 more within ten minutes. The last one: 4 USDC is available. | 3',
    ]);
    expect(rows[1]).toMatchObject({
      id: arrivals[1]?.id,
      createdAt: arrivals[1]?.at,
      actionUrl: '/deposits/4',
      metadata: { amount: '4', count: 3 },
      repeats: 3,
    });
    expect(storeBatches([minutes(0, 1)]).map(shown)).toEqual([
      'Deposit credited | 1 USDC is available. | single',
      'Deposit credited | 2 USDC is available. | 1',
    ]);
  });

  it('counts in the language of the user', () => {
    const arrivals = minutes(0, 3, 5).map((arrival) => ({ ...arrival, language: 'de' as const }));
    expect(storeBatches([arrivals]).map(shown)[1]).toBe(
      'Deposit credited: 2 weitere | 2 weitere innerhalb von zehn Minuten. Zuletzt: 3 USDC is available. | 2',
    );
  });

  it('makes a summary that grows unread again', () => {
    const [first, second, third] = minutes(0, 1, 2) as [Arrival, Arrival, Arrival];
    const { added } = collapse([first, second], []);
    const read = added.map((row) => ({ ...row, readAt: new Date(START + 90_000) }));
    const { grown } = collapse([third], read);
    expect(grown).toMatchObject([{ id: second.id, readAt: null, repeats: 2 }]);
  });

  it('counts the ten minutes from the first notification, not from the last', () => {
    expect(storeBatches([minutes(0, 6, 9.999, 10, 15, 20)]).map(shown)).toEqual([
      'Deposit credited | 1 USDC is available. | single',
      'Deposit credited: 2 more | 2 more within ten minutes. The last one: 3 USDC is available. | 2',
      'Deposit credited | 4 USDC is available. | single',
      'Deposit credited | 5 USDC is available. | 1',
      'Deposit credited | 6 USDC is available. | single',
    ]);
  });

  it('keeps users and kinds apart in one batch', () => {
    const arrivals = [
      arrivalAt(0, '1'),
      arrivalAt(1, '2', { userId: 'bob' }),
      arrivalAt(2, '3', { kind: 'deposit.seen' }),
      arrivalAt(3, '4', { userId: 'bob' }),
      arrivalAt(4, '5'),
      arrivalAt(5, '6'),
    ];
    const rows = storeBatches([arrivals]);
    expect(rows.map((row) => [row.userId, row.kind, row.repeats])).toEqual([
      ['ann', 'deposit.completed', null],
      ['bob', 'deposit.completed', null],
      ['ann', 'deposit.seen', null],
      ['bob', 'deposit.completed', 1],
      ['ann', 'deposit.completed', 2],
    ]);
  });

  it('notifies of dust once a day, without a count', () => {
    const dust = (ms: number, text: string) => arrivalAt(ms, text, { kind: 'deposit.dust' });
    const rows = storeBatches([
      [dust(0, '1'), dust(1, '2'), arrivalAt(2, '3')],
      [dust(WINDOW_MS, '4'), dust(DAY_MS - 1, '5')],
      [dust(DAY_MS, '6'), dust(DAY_MS + 1, '7')],
    ]);
    expect(rows.map(({ message, repeats }) => [message, repeats])).toEqual([
      ['1 USDC is available.', null],
      ['3 USDC is available.', null],
      ['6 USDC is available.', null],
    ]);
  });

  it('does not count notifications that follow from no domain event', () => {
    const [first] = collapse(minutes(0), []).added;
    const announcement = { ...first, kind: null } as Notification;
    expect(collapse([arrivalAt(1, '2')], [announcement]).added).toMatchObject([{ repeats: null }]);
  });

  it('tells every event exactly once, as a model that groups events by windows does, however they are batched', () => {
    const event = fc.record({
      userId: fc.constantFrom('ann', 'bob'),
      kind: fc.constantFrom('deposit.completed', 'withdrawal.requested', 'deposit.dust'),
      // Steps about a third of the window, and some that end windows of ten minutes and of a day exactly.
      stepMs: fc.oneof(
        fc.integer({ min: 0, max: 4 * MINUTE_MS }),
        fc.constantFrom(0, WINDOW_MS - 1, WINDOW_MS, DAY_MS - 1, DAY_MS),
      ),
      startsBatch: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let ms = 0;
        const batches: Arrival[][] = [[]];
        for (const [index, { stepMs, startsBatch, ...more }] of events.entries()) {
          ms += stepMs;
          if (startsBatch) batches.push([]);
          batches.at(-1)?.push(arrivalAt(ms, String(index), more));
        }
        const told = storeBatches(batches).map(({ userId, kind, metadata, repeats }) =>
          [userId, kind, metadata.amount, repeats].join(' '),
        );
        expect(told.toSorted()).toEqual(modelOf(batches.flat()).toSorted());
      }),
    );
  });
});

const keyOf = ({ userId, kind }: Arrival): string => `${userId} ${kind}`;

/** For each window of each user and kind: its first event, and the last of its others with their number. */
function modelOf(arrivals: readonly Arrival[]): string[] {
  const told: string[] = [];
  for (const key of new Set(arrivals.map(keyOf))) {
    const isDust = key.endsWith('dust');
    let rest = arrivals.filter((arrival) => keyOf(arrival) === key);
    while (rest.length > 0) {
      const end = (rest[0] as Arrival).at.getTime() + (isDust ? DAY_MS : WINDOW_MS);
      const [first, ...others] = rest.filter(({ at }) => at.getTime() < end);
      told.push(`${key} ${first?.content.metadata.amount} `);
      if (others.length > 0 && !isDust)
        told.push(`${key} ${others.at(-1)?.content.metadata.amount} ${others.length}`);
      rest = rest.filter(({ at }) => at.getTime() >= end);
    }
  }
  return told;
}
