import type { Request, RequestHandler, Response } from 'express';

export const FAULT_MODES = [
  'timeout', // no response
  'error', // a response with an error
  'duplicate', // each callback is sent twice
  'reorder', // callbacks are sent in pairs, the later one first
  'drop', // the connection is closed without a response, or the callback is not sent
  'garbage', // a verdict that does not exist
  'wrong-signature', // 401, as if the platform had signed wrongly
  'reject', // a mail is rejected for good
  'cut', // a mail is accepted, and the connection is closed without a response
  'away', // connections are refused until the fault is ended, even if it has a count
] as const;
export type FaultMode = (typeof FAULT_MODES)[number];

/**
 * The faults of each party: a provider, the chain or the mail server. `answers` are faults of its responses, `callbacks` of
 * the callbacks that it sends. The custody provider has no HTTP interface: its faults `timeout` and `error` mean that a report
 * is not sent. The mail server answers 451 (`error`) or 554 (`reject`).
 */
export const PARTIES = {
  deposit: { answers: ['timeout', 'error'], callbacks: ['duplicate', 'reorder', 'drop'] },
  custody: { answers: [], callbacks: ['timeout', 'error', 'duplicate', 'reorder', 'drop'] },
  identity: { answers: ['timeout', 'error', 'drop'], callbacks: [] },
  chain: { answers: ['timeout', 'error', 'drop'], callbacks: [] },
  screening: { answers: ['timeout', 'error', 'drop', 'garbage', 'wrong-signature'], callbacks: [] },
  mail: { answers: ['timeout', 'error', 'reject', 'cut', 'away'], callbacks: [] },
} as const satisfies Record<string, Record<Channel, readonly FaultMode[]>>;

export type Party = keyof typeof PARTIES;
type Channel = 'answers' | 'callbacks';

/** The parties' present faults. A fault with a count ends after that many responses or callbacks. */
export class Faults {
  private readonly present = new Map<Party, { mode: FaultMode; left: number }>();

  set(party: Party, mode: FaultMode, count = Infinity): void {
    this.present.set(party, { mode, left: count });
  }

  clear(party: Party): void {
    this.present.delete(party);
  }

  /** The fault of the next response or callback, if any; reduces its count by one. */
  consumeFault(party: Party, channel: Channel): FaultMode | undefined {
    const fault = this.present.get(party);
    const modes: readonly FaultMode[] = PARTIES[party][channel];
    if (!fault || !modes.includes(fault.mode)) return undefined;
    fault.left -= 1;
    if (fault.left <= 0) this.clear(party);
    return fault.mode;
  }
}

// Longer than the time-out of any client, but limited.
const HELD_OPEN_MS = 60_000;

/** Keeps the connection open without a response. */
function holdOpen(request: Request, response: Response): void {
  const end = setTimeout(() => request.socket.destroy(), HELD_OPEN_MS);
  response.once('close', () => clearTimeout(end));
}

/** Middleware that applies the party's present fault to its responses. */
export function applyFaults(faults: Faults, party: Party): RequestHandler {
  return (request, response, next) => {
    switch (faults.consumeFault(party, 'answers')) {
      case undefined:
        return next();
      case 'timeout':
        return holdOpen(request, response);
      case 'drop':
        request.socket.destroy();
        return;
      case 'garbage':
        response.json({
          verdict: 'fine',
          note: `The sandbox's ${party} provider is set to send a verdict without a meaning.`,
        });
        return;
      case 'wrong-signature':
        response
          .status(401)
          .json({ error: `The sandbox's ${party} provider is set to refuse every signature.` });
        return;
      default:
        response.status(503).json({ error: `The sandbox's ${party} provider is set to fail.` });
    }
  };
}
