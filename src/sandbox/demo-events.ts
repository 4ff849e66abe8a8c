import type { Person } from './demo-client.js';
import type { Admins } from './demo-operations.js';
import { printDetail, printStep, requireThat } from './demo-output.js';

const MAX_PAGES = 100;
const LAST_LINES = 6;

interface FeedPage {
  events: { number: string; type: string; at: string; subject: { type: string; id: string } }[];
  next: string | null;
}

/** A program of the operator reads everything that has happened, page by page and in order. */
export async function demonstrateEventFeed({ ada }: Admins): Promise<void> {
  const events = await readFeed(ada);
  const numbers = events.map(({ number }) => BigInt(number));
  requireThat(
    numbers.every((number, index) => index === 0 || number > (numbers[index - 1] as bigint)),
    'the events of the feed are not in the order of their numbers',
  );
  const types = new Set(events.map(({ type }) => type));
  for (const type of ['user.created', 'deposit.completed', 'investment.closed', 'withdrawal.completed'])
    requireThat(types.has(type), `the feed has no event ${type}`);
  printStep(`a program reads all ${events.length} events of ${types.size} types in order; the last ones:`);
  for (const { number, at, type, subject } of events.slice(-LAST_LINES))
    printDetail(`${number.padStart(6)}  ${at}  ${type.padEnd(28)} ${subject.type} ${subject.id}`);
}

async function readFeed(ada: Person): Promise<FeedPage['events']> {
  const events: FeedPage['events'] = [];
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query: string = after === null ? '' : `&after=${after}`;
    const { events: found, next } = await ada.ask<FeedPage>('GET', `/api/admin/events?limit=1000${query}`);
    if (next === null) break; // only an answer without events has no next
    events.push(...found);
    after = next;
  }
  return events;
}
