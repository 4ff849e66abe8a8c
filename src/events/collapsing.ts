import { Groups } from '../common/groups.js';
import { DAY_MS, MINUTE_MS } from '../common/durations.js';

// Of several events of one kind within ten minutes, their user gets two messages: one about the first event, at once, and a summary of
// the other ones, which grows. Of deposits below DUST_THRESHOLD only the first of a day gets a message; the list of deposits has all.

const COLLAPSE_MS = 10 * MINUTE_MS;
/** The kind of deposits below DUST_THRESHOLD. */
export const DUST = 'deposit.dust';

/** How long after the first event of a kind further ones go into its summary. */
export function windowMsOf(kind: string): number {
  return kind === DUST ? DAY_MS : COLLAPSE_MS;
}

/** An event that a user gets a message about. */
interface Arrival {
  readonly userId: string;
  readonly kind: string;
  readonly at: Date;
}

/** A notification or a mail. */
interface Message {
  readonly userId: string | null;
  readonly kind: string | null;
  readonly createdAt: Date;
  /** Null in a message about one event; in a summary, the number of its events. */
  readonly repeats: number | null;
}

interface Collapsing<A extends Arrival, M extends Message> {
  /** The messages of the same users and kinds that may collect the arrivals. */
  readonly earlier: readonly M[];
  readonly toFirst: (arrival: A) => M;
  /** Begins the summary of the window whose first event has the message `first`. */
  readonly toSummary: (arrival: A, first: M) => M;
  /** Adds an arrival to a summary. */
  readonly grow: (summary: M, arrival: A) => void;
}

/** The messages that the arrivals add, and the earlier ones that grow. */
export function collapse<A extends Arrival, M extends Message>(
  arrivals: readonly A[],
  { earlier, toFirst, toSummary, grow }: Collapsing<A, M>,
): { added: M[]; grown: M[] } {
  const known = new Groups<M>();
  for (const message of earlier) known.addTo(groupOf(message), message);
  const added = new Set<M>();
  const grown = new Set<M>();
  for (const arrival of arrivals) {
    const ofKind = [...known.membersOf(groupOf(arrival))];
    const first = ofKind.find((message) => message.repeats === null && isWithinWindow(message, arrival));
    if (first && arrival.kind === DUST) continue;
    const summary =
      first && ofKind.find((message) => message.repeats !== null && message.createdAt >= first.createdAt);
    if (summary) {
      grow(summary, arrival);
      if (!added.has(summary)) grown.add(summary);
    } else {
      const message = first ? toSummary(arrival, first) : toFirst(arrival);
      known.addTo(groupOf(message), message);
      added.add(message);
    }
  }
  return { added: [...added], grown: [...grown] };
}

const groupOf = ({ userId, kind }: Pick<Message, 'userId' | 'kind'>) => `${userId} ${kind}`;

function isWithinWindow(first: Message, { at, kind }: Arrival): boolean {
  return at.getTime() - first.createdAt.getTime() < windowMsOf(kind);
}
