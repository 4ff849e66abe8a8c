import { RouteAudit } from '../../src/http/auth/route-audit.js';
import { Jobs } from '../../src/jobs/jobs.service.js';
import { adminWrites, UNAUDITED_ROUTES, type AdminWrite } from '../fixtures/admin-writes.js';
import type { Reply } from '../harness/http-client.js';
import type { TestAdmin } from '../fixtures/given.js';
import { limitsFile, TWO_TIERS } from '../fixtures/limits.js';
import { listAdmin } from '../fixtures/listed-admins.js';
import { sendCall, databaseState, type CallContext } from '../fixtures/money-calls.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { repetitions } from '../harness/repetitions.js';
import { withdrawalSteps } from '../fixtures/withdrawals.js';
import { processDueCallbacks } from '../fixtures/provider-callbacks.js';

// Calls every admin route that writes, and checks its audit entry and the outcome of two concurrent calls.

const ROUNDS = repetitions(3);
const SECRETS = /argon2|eyJ[\w-]+\.|a-password-to-keep|refreshToken\b|passwordHash/i;

describe('Every write of an admin', () => {
  const context = {} as CallContext;
  const writes = adminWrites(context);
  const routes = Object.keys(writes);
  let platform: TestPlatform;
  let rival: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform({
      // No poll of deposits changes rows while they are compared.
      settings: {
        DEPOSIT_POLL_SECONDS: '3600',
        INVESTMENT_APPROVAL_THRESHOLD: '5000',
        LIMITS_FILE: limitsFile(TWO_TIERS),
      },
      screening: true,
    });
    Object.assign(context, { platform, steps: await withdrawalSteps(platform) });
    await listAdmin(platform, 'rival@example.com'); // a third admin besides the two who prepare and approve
    rival = await platform.given.admin('rival');
    // It would raise an alert about the event that INSERT_PARKED_EVENT adds, which changes the compared state.
    await platform.app.get(Jobs).get('event-alerts').end();
  });
  afterAll(() => platform?.stop());

  const write = (route: string) => writes[route] as AdminWrite;
  /** The audit entries of the request that got this reply. */
  const entriesOf = (reply: Reply) =>
    platform.dataSource.query(
      `select actor, subject_id as subject, reason, before, after from audit_entry where trace_id = $1`,
      [reply.body.traceId],
    );

  const succeeds = (outcome: AdminWrite['concurrentOutcome']) => outcome === 'done' || outcome === 'nothing';

  /** The outcome of the second of two equal requests, for test titles. */
  function secondOutcome(route: string): string {
    const { concurrentOutcome } = write(route);
    if (concurrentOutcome === 'done') return 'makes a change of its own';
    return concurrentOutcome === 'nothing'
      ? 'succeeds without a change'
      : `is refused with ${concurrentOutcome}`;
  }

  /** Row counts and the ledger, after all callbacks are processed: a callback is answered before its processing. */
  async function stateAfterCallbacks() {
    await processDueCallbacks(platform);
    return databaseState(platform);
  }

  /** Returns how many rows `work` adds to each table. */
  async function rowsAddedBy(work: () => Promise<unknown>): Promise<Record<string, number>> {
    const { counts: before } = await stateAfterCallbacks();
    await work();
    const { counts: after } = await stateAfterCallbacks();
    return Object.fromEntries(
      Object.entries(after).map(([table, count]) => [table, count - (before[table] ?? 0)]),
    );
  }

  it('is listed in test/fixtures/admin-writes.ts', () => {
    const writeRoutes = platform.app
      .get(RouteAudit)
      .routes()
      .filter(
        ({ method, rule }) => method !== 'GET' && ['admin', 'cookie-admin'].includes(rule?.access ?? ''),
      )
      .map(({ method, path }) => `${method} ${path}`);
    const listed = [...routes, ...UNAUDITED_ROUTES];
    const missing = writeRoutes
      .filter((route) => !listed.includes(route))
      .map(
        (route) =>
          `${route}: add it to test/fixtures/money-calls.ts if it takes an Idempotency-Key, ` +
          'otherwise to `otherWrites` in test/fixtures/admin-writes.ts',
      );
    const removed = listed
      .filter((route) => !writeRoutes.includes(route))
      .map((route) => `${route} is not a route any more`);
    expect([...missing, ...removed]).toEqual([]);
  });

  describe.each(routes)('%s', (route) => {
    afterEach(() => write(route).undo?.());

    it('is recorded in the audit log with its actor, subjects and trace id, but no secret', async () => {
      const { prepare, auditSubjects } = write(route);
      const call = await prepare();
      const reply = await sendCall(platform, call);
      expect([200, 201, 202]).toContain(reply.status);

      const entries = await entriesOf(reply);
      const subjects = entries.map(({ subject }: { subject: string }) => subject);
      expect(auditSubjects(call, reply.data).length).toBeGreaterThan(0);
      expect(subjects).toEqual(expect.arrayContaining(auditSubjects(call, reply.data)));
      for (const entry of entries) {
        // The actor of an approved change is its requester; the entry names the caller as the one who has approved it.
        const isApproved = call.requestedBy !== undefined && entry.actor !== call.by.email;
        if (isApproved)
          expect([entry.actor, entry.after?.approvedBy]).toEqual([call.requestedBy, call.by.email]);
        else expect(entry.actor).toBe(call.by.email);
        expect(Object.keys(entry.after ?? {})).not.toEqual([]); // the entry records what changed
        expect(entry.after).not.toEqual(entry.before);
        expect(JSON.stringify(entry)).not.toMatch(SECRETS);
      }
    });

    it('changes and records nothing when it is rejected', async () => {
      const { by, ...call } = await write(route).prepare();
      const rejected = [
        ...(call.refused ? [{ by, ...call, ...call.refused }] : []), // with the changes that make the API refuse it
        { by: await platform.given.user(), ...call },
        { by: await platform.given.admin('readonly'), ...call },
        ...(call.body ? [{ by, ...call, body: { ...call.body, surplus: true } }] : []),
      ];
      const before = await stateAfterCallbacks();
      for (const attempt of rejected) {
        const reply = await sendCall(platform, attempt);
        expect(reply.body.success).toBe(false);
        expect(await entriesOf(reply)).toEqual([]);
        expect(await stateAfterCallbacks()).toEqual(before);
      }
    });

    it('is rolled back when the audit entry cannot be written [SEC-008]', async () => {
      const call = await write(route).prepare();
      await platform.dataSource.query(
        `create function refuse_audit() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
         create trigger refuse_audit before insert on audit_entry for each row execute function refuse_audit()`,
      );
      const before = await stateAfterCallbacks();
      const reply = await sendCall(platform, call).finally(() =>
        platform.dataSource.query('drop trigger refuse_audit on audit_entry; drop function refuse_audit'),
      );
      // bulk-take answers 200 with the outcome for each id: no withdrawal was taken.
      if (reply.status === 200) expect(write(route).auditSubjects(call, reply.data)).toEqual([]);
      else expect([reply.status, reply.body.success]).toEqual([500, false]);
      expect(await stateAfterCallbacks()).toEqual(before);
      const retry = await sendCall(platform, call); // succeeds, because the first attempt left nothing behind
      expect(retry.body.success).toBe(true);
      expect(await entriesOf(retry)).not.toEqual([]);
    });

    it(`the second of two concurrent calls ${secondOutcome(route)}`, async () => {
      const { prepare, concurrentOutcome: second, undo } = write(route);
      const singleCall = await prepare();
      const rowsOfOne = await rowsAddedBy(() => sendCall(platform, singleCall));
      for (let round = 0; round < ROUNDS; round++) {
        await undo?.();
        const call = await prepare();
        let replies: Reply[] = [];
        const rowsOfTwo = await rowsAddedBy(async () => {
          replies = await Promise.all([sendCall(platform, call), sendCall(platform, { ...call, by: rival })]);
        });
        const refusals = replies.filter(({ status }) => status >= 300).map(({ code }) => code);
        expect(refusals).toEqual(succeeds(second) ? [] : [second]);
        if (second === 'done') expect(rowsOfTwo.audit_entry).toBe(2 * (rowsOfOne.audit_entry ?? 0));
        else expect(rowsOfTwo).toEqual(rowsOfOne);
      }
    });

    it(`a repetition by another admin ${secondOutcome(route)}`, async () => {
      const { prepare, concurrentOutcome: second } = write(route);
      const call = await prepare();
      await sendCall(platform, call);
      const before = await stateAfterCallbacks();
      const repetition = await sendCall(platform, { ...call, by: rival });
      expect(repetition.body.success).toBe(succeeds(second));
      if (second === 'done') return expect(await entriesOf(repetition)).not.toEqual([]);
      if (!succeeds(second)) expect(repetition.code).toBe(second);
      expect(await entriesOf(repetition)).toEqual([]);
      expect(await stateAfterCallbacks()).toEqual(before);
    });
  });
});
