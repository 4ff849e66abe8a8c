import type { Reply } from './caller.js';
import { traces } from './money-calls.js';
import type { TestPlatform } from './platform.js';

/** States and verbs of one kind of record, and how to come to them over HTTP. */
export interface StateTable<Subject> {
  platform: () => TestPlatform;
  /** A record in each of its states. */
  reach: Record<string, () => Promise<Subject>>;
  verbs: Record<string, (subject: Subject) => Promise<Reply>>;
  /** verb → from → to, written out by hand from the interface. What is not here is refused. */
  leadsTo: Record<string, Record<string, string>>;
  /** Code of a refusal that is not INVALID_STATE: verb → from → code. */
  refusedAs?: Record<string, Record<string, string>>;
  stateOf: (subject: Subject) => Promise<string>;
}

/**
 * Tests of every verb in every state: it leads where the table says, or is refused and nothing is left of it, in the
 * ledger, the audit log or what people are shown.
 */
export function crossStates<Subject>(table: StateTable<Subject>): void {
  const { platform, reach, verbs, leadsTo, refusedAs, stateOf } = table;
  const cells = Object.keys(verbs).flatMap((verb) => Object.keys(reach).map((state) => [verb, state]));

  it.each(cells as [string, string][])('%s when %s', async (verb, state) => {
    const subject = await (reach[state] as () => Promise<Subject>)();
    expect(await stateOf(subject)).toBe(state);
    const before = await traces(platform());
    const reply = await (verbs[verb] as (subject: Subject) => Promise<Reply>)(subject);

    const next = leadsTo[verb]?.[state];
    if (next === undefined) {
      const code = refusedAs?.[verb]?.[state] ?? 'INVALID_STATE';
      expect([reply.status, reply.code]).toEqual([422, code]);
      if (code === 'INVALID_STATE') {
        const allowedFrom = Object.keys(leadsTo[verb] ?? {});
        expect(reply.body.error.details).toEqual({ status: state, action: verb, allowedFrom });
      }
      expect(await traces(platform())).toEqual(before);
    } else {
      expect([reply.status, reply.code]).toEqual([200, undefined]);
    }
    expect(await stateOf(subject)).toBe(next ?? state);
  });
}
