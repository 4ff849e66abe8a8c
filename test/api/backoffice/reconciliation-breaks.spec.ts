import {
  BREAK_STATES,
  BREAK_STATUSES,
  BREAK_VERBS,
} from '../../../src/modules/backoffice/reconciliation/domain/comparison.js';
import type { Reply } from '../../harness/http-client.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import {
  RECONCILIATION_BREAKS,
  ReconciliationSteps,
  RECONCILIATIONS,
  type ListedLine,
} from '../../fixtures/reconciliations.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';

type Status = (typeof BREAK_STATUSES)[number];
type Verb = (typeof BREAK_VERBS)[number];

describe('A reconciliation break', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  let admin2: TestAdmin;
  let support: TestAdmin;
  let reconciling: ReconciliationSteps;
  let lineCount = 0;

  beforeAll(async () => {
    platform = await startPlatform();
    admin = await platform.given.admin('admin');
    admin2 = await platform.given.admin('admin2');
    support = await platform.given.admin('support');
    reconciling = new ReconciliationSteps(platform, admin);
  });
  afterAll(() => platform?.stop());

  const BODIES: Record<Verb, object> = {
    assign: { owner: 'Admin2@example.com' },
    propose: { resolution: 'timing', note: 'Paid after midnight.' },
    confirm: {},
    reopen: { reason: 'It is another one.' },
  };
  const act = (id: string, verb: Verb, by = admin, body = BODIES[verb]): Promise<Reply> =>
    platform.as(by).post(`${RECONCILIATION_BREAKS}/${id}/${verb}`, body);

  /** Reconciles a statement with new lines that the ledger does not contain, each of which becomes an open break. */
  async function createBreaks(count: number): Promise<{ reconciliationId: string; lines: ListedLine[] }> {
    const date = platform.clock.today();
    const lines = Array.from({ length: count }, () => {
      lineCount += 1;
      return { reference: `B-${lineCount}`, amount: '1.00', currency: 'USDC', direction: 'out', date };
    });
    const { data } = await reconciling.createFromCustody(lines);
    return { reconciliationId: data.id, lines: await reconciling.lines(data.id) };
  }

  const STEPS_TO: Record<Status, [Verb, 'admin' | 'admin2'][]> = {
    open: [],
    assigned: [['assign', 'admin']],
    proposed: [
      ['assign', 'admin'],
      ['propose', 'admin'],
    ],
    resolved: [
      ['assign', 'admin'],
      ['propose', 'admin'],
      ['confirm', 'admin2'],
    ],
  };

  async function createBreakIn(status: Status): Promise<string> {
    const [line] = (await createBreaks(1)).lines as [ListedLine];
    for (const [verb, adminName] of STEPS_TO[status])
      expect((await act(line.id, verb, adminName === 'admin' ? admin : admin2)).status).toBe(200);
    return line.id;
  }

  const LEADS_TO: Record<Verb, Partial<Record<Status, Status>>> = {
    assign: { open: 'assigned', assigned: 'assigned' },
    propose: { assigned: 'proposed' },
    confirm: { proposed: 'resolved' },
    reopen: { assigned: 'open', proposed: 'open', resolved: 'open' },
  };
  /** Each status and action, with the status to which the action leads or the code of the refusal. */
  const CASES = BREAK_STATUSES.flatMap((status) =>
    BREAK_VERBS.map((verb) => [status, verb, LEADS_TO[verb][status] ?? 'INVALID_STATE'] as const),
  );

  it.each(CASES)('in the state %s answers %s with %s', async (status, verb, result) => {
    const id = await createBreakIn(status);
    const before = await reconciling.stored();
    const reply = await act(id, verb, admin2);
    if (result !== 'INVALID_STATE') {
      expect(reply.status).toBe(200);
      expect(reply.data.break.status).toBe(result);
      return;
    }
    expect(reply).toMatchObject({ status: 422, code: 'INVALID_STATE' });
    const allowedFrom = BREAK_STATES.allowedFrom(verb);
    expect(reply.body.error.details).toEqual({ status, action: verb, allowedFrom });
    expect(await reconciling.stored()).toEqual(before);
  });

  it('passes from assignment to a resolution by two admins, and each step is recorded in the audit log', async () => {
    const { reconciliationId, lines } = await createBreaks(1);
    const [{ id }] = lines as [ListedLine];
    const at = platform.clock.now().toISOString();
    await act(id, 'assign');
    const proposed = await act(id, 'propose');
    expect(proposed.data.break).toEqual({
      status: 'proposed',
      owner: 'admin2@example.com',
      resolution: 'timing',
      note: 'Paid after midnight.',
      proposedBy: 'admin@example.com',
      proposedAt: at,
      resolvedBy: null,
      resolvedAt: null,
    });
    expect(await act(id, 'confirm')).toMatchObject({ status: 403, code: 'FOUR_EYES_REQUIRED' });
    const summary = () => platform.as(admin).get(`${RECONCILIATIONS}/${reconciliationId}`);
    expect((await summary()).data).toMatchObject({ status: 'open', unresolved: 1 });

    const resolved = await act(id, 'confirm', admin2);
    expect(resolved.data.break).toMatchObject({
      status: 'resolved',
      resolvedBy: 'admin2@example.com',
      resolvedAt: at,
    });
    expect((await summary()).data).toMatchObject({ status: 'resolved', unresolved: 0, missingHere: 1 });
    const reopened = await act(id, 'reopen', admin2);
    expect(reopened.data.break).toMatchObject({ status: 'open', owner: null, note: null, resolvedBy: null });

    const record = await platform.dataSource.query(
      `select actor, action, reason, before ->> 'status' as before, after ->> 'status' as after
         from audit_entry where subject_type = 'reconciliation-break' and subject_id = $1 order by id`,
      [id],
    );
    expect(record).toEqual([
      {
        actor: admin.email,
        action: 'reconciliation-break.assign',
        reason: null,
        before: 'open',
        after: 'assigned',
      },
      {
        actor: admin.email,
        action: 'reconciliation-break.propose',
        reason: null,
        before: 'assigned',
        after: 'proposed',
      },
      {
        actor: admin2.email,
        action: 'reconciliation-break.confirm',
        reason: null,
        before: 'proposed',
        after: 'resolved',
      },
      {
        actor: admin2.email,
        action: 'reconciliation-break.reopen',
        reason: 'It is another one.',
        before: 'resolved',
        after: 'open',
      },
    ]);
  });

  it('accepts one of several concurrent confirmations or proposals, and all concurrent assignments', async () => {
    const id = await createBreakIn('proposed');
    const replies = await Promise.all([admin2, admin2, admin2].map((by) => act(id, 'confirm', by)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 422, 422]);

    const open = await createBreakIn('open');
    const assignments = await Promise.all([
      act(open, 'assign', admin),
      act(open, 'assign', admin2, { owner: admin.email }),
    ]);
    expect(assignments.map(({ status }) => status)).toEqual([200, 200]);
    const proposals = await Promise.all([act(open, 'propose', admin), act(open, 'propose', admin2)]);
    expect(proposals.map(({ status }) => status).sort()).toEqual([200, 422]);
  });

  it('is assigned only to an admin with the permission to resolve it, and rejects an unknown resolution', async () => {
    const id = await createBreakIn('open');
    for (const owner of ['nobody@example.org', support.email]) {
      const reply = await act(id, 'assign', admin, { owner });
      expect(reply).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
      expect(reply.body.error.details.fields).toEqual([{ field: 'owner', message: expect.any(String) }]);
    }
    expect(await act(id, 'assign', admin, {})).toMatchObject({ code: 'MISSING_REQUIRED_FIELD' });
    expect(await act(id, 'propose', admin, { resolution: 'forget it', note: 'No' })).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('is not found by the id of a matched line or an unknown id, nor is a reconciliation by an unknown id', async () => {
    const date = platform.clock.today();
    const rejected = {
      reference: 'R',
      amount: '2.00',
      currency: 'USDC',
      direction: 'out',
      date,
      status: 'failed',
    };
    // The payment was not executed at the provider and is unknown to the platform, so that both sides agree.
    const { data } = await reconciling.createFromCustody([rejected]);
    const [line] = (await reconciling.lines(data.id)) as [ListedLine];
    expect(line).toMatchObject({ outcome: 'matched', break: null });
    for (const id of [line.id, UNKNOWN_ID, 'x']) {
      for (const verb of BREAK_VERBS)
        expect(await act(id, verb)).toMatchObject({ status: 404, code: 'RECONCILIATION_BREAK_NOT_FOUND' });
    }
    for (const path of [UNKNOWN_ID, `${UNKNOWN_ID}/lines`, 'x', 'x/lines']) {
      const reply = await platform.as(admin).get(`${RECONCILIATIONS}/${path}`);
      expect(reply).toMatchObject({ status: 404, code: 'RECONCILIATION_NOT_FOUND' });
    }
  });

  it('is found by outcome, status and owner, page by page, also with the read permission only', async () => {
    const { reconciliationId: id, lines } = await createBreaks(5);
    await act(lines[1]?.id as string, 'assign');
    await act(lines[3]?.id as string, 'assign', admin, { owner: admin.email });
    const lineNumbers = async (query: string) => (await reconciling.lines(id, query)).map(({ line }) => line);
    expect(await lineNumbers('outcome=missing-here')).toEqual([1, 2, 3, 4, 5]);
    expect(await lineNumbers('outcome=matched')).toEqual([]);
    expect(await lineNumbers('status=assigned')).toEqual([2, 4]);
    expect(await lineNumbers('status=open')).toEqual([1, 3, 5]);
    expect(await lineNumbers('owner=ADMIN2@example.com&status=assigned')).toEqual([2]);

    const page = await platform.as(support).get(`${RECONCILIATIONS}/${id}/lines?page=2&limit=2`);
    expect(page.data.map(({ line }: ListedLine) => line)).toEqual([3, 4]);
    expect(page.body.pagination).toMatchObject({ total: 5, totalPages: 3, hasNext: true, hasPrevious: true });
    const list = await platform.as(support).get(`${RECONCILIATIONS}?limit=1`);
    expect(list.data[0].id).toBe(id); // the newest
    expect(await act(lines[0]?.id as string, 'assign', support)).toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it('is listed only with a valid filter and a valid page, like reconciliations', async () => {
    const { reconciliationId: id } = await createBreaks(1);
    for (const query of ['limit=0', 'page=x'])
      expect(await platform.as(admin).get(`${RECONCILIATIONS}?${query}`)).toMatchObject({
        code: 'INVALID_PAGINATION',
      });
    expect(await platform.as(admin).get(`${RECONCILIATIONS}/${id}/lines?status=new`)).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect(await platform.as(admin).get(`${RECONCILIATIONS}/${id}/lines?limit=101`)).toMatchObject({
      code: 'INVALID_PAGINATION',
    });
  });
});
