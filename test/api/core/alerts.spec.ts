import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { AppConfig } from '../../../src/config/app-config.js';
import { DatabaseClock } from '../../../src/database/database-clock.js';
import { AdminDirectoryService } from '../../../src/modules/identity/admins/admin-directory.service.js';
import { AlertsService } from '../../../src/modules/core/alerts/alerts.service.js';
import type { NewAlert } from '../../../src/modules/core/alerts/alerts.types.js';
import { ProcessAlertsJob } from '../../../src/modules/operations/health/process-alerts.job.js';
import { eventually } from '../../harness/eventually.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const ALERTS = '/api/admin/alerts';

describe('/api/admin/alerts', () => {
  let platform: TestPlatform;
  let operator: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { DEPOSIT_POLL_SECONDS: '3600' } });
    operator = await platform.given.admin('operator');
  });
  afterAll(() => platform?.stop());

  const service = () => platform.app.get(AlertsService);
  /** An alert about a condition, which is raised again while the condition lasts. */
  const conditionAlert = (id: string = randomUUID()): NewAlert => ({
    kind: 'clock-apart',
    subject: { type: 'process', id },
    message: 'The clock of a process is wrong.',
    nextStep: 'Set the clock.',
  });
  /** An alert about one event, which stays resolved after an admin has resolved it. */
  const eventAlert = (id: string = randomUUID()): NewAlert => ({
    kind: 'second-transfer',
    subject: { type: 'provider-deposit', id, userId: UNKNOWN_ID, txHash: '0xabc' },
    message: 'A transaction pays twice.',
    nextStep: 'Book the second transfer by hand.',
  });
  const list = async (query = '') => (await platform.as(operator).get(`${ALERTS}?limit=100${query}`)).data;
  /** The open alerts about the subject of `alert`; with the query `&status=resolved`, the resolved ones. */
  const alertsAbout = async (alert: NewAlert, query = '') =>
    (await list(query)).filter(({ subject }: any) => subject.id === alert.subject.id);
  /** Raises an alert and returns its id. */
  const raiseAlert = async (alert: NewAlert): Promise<string> => {
    await service().raise(alert);
    return (await alertsAbout(alert))[0].id;
  };
  const resolve = (id: string, body: object = { reason: 'Done' }, by = operator) =>
    platform.as(by).post(`${ALERTS}/${id}/resolve`, body);

  it('raises an alert while ADMINS_FILE is faulty and resolves it when the file is repaired', async () => {
    const file = platform.app.get(AppConfig).ADMINS_FILE;
    const good = readFileSync(file, 'utf8');
    const writeAndCheck = async (text: string, isReadable: boolean) => {
      writeFileSync(file, text);
      await eventually(async () =>
        expect(platform.app.get(AdminDirectoryService).isReadable).toBe(isReadable),
      );
      await platform.runJob('process-alerts');
    };
    await writeAndCheck(good.replace('[', '[{},'), false); // with an admin that has no fields
    const [alert] = (await list()).filter(({ kind }: any) => kind === 'admins-file');
    expect(alert).toMatchObject({ subject: { type: 'setting', id: 'ADMINS_FILE' }, resolvedAt: null });
    await writeAndCheck(good, true);
    const [resolved] = (await list('&status=resolved')).filter(({ id }: any) => id === alert.id);
    expect(resolved).toMatchObject({ resolvedBy: 'system' });
  });

  it('resolves an alert at the start of a process when its condition ended before the start', async () => {
    const { app } = platform;
    const stale: NewAlert = { ...conditionAlert('ADMINS_FILE'), kind: 'admins-file' };
    await service().raise(stale);
    const jobOfNewProcess = new ProcessAlertsJob(
      service(),
      app.get(DatabaseClock),
      app.get(AdminDirectoryService),
    );
    await jobOfNewProcess.updateAlerts();
    expect(await alertsAbout(stale)).toEqual([]);
  });

  it('does not raise the alert about an event again while an admin is resolving it', async () => {
    const alert = eventAlert();
    const id = await raiseAlert(alert);
    const resolving = platform.dataSource.createQueryRunner();
    await resolving.startTransaction();
    await resolving.query(
      `update alert set resolved_at = now(), resolved_by = $2, reason = 'Done' where id = $1`,
      [id, operator.email],
    );
    const raising = service().raise(alert);
    await eventually(async () => expect(await platform.dataSource.query(LOCK_WAITS)).toHaveLength(1));
    await resolving.commitTransaction();
    await resolving.release();
    await raising;
    expect(await alertsAbout(alert)).toEqual([]);
  });

  it('lists alerts with the next step, newest first, for operators', async () => {
    const [older, newer] = [conditionAlert(), eventAlert()];
    await service().raise(older);
    platform.clock.advance(1000);
    await service().raise(newer);
    const [first, second] = await list();
    expect(first).toEqual({
      id: expect.any(String),
      kind: 'second-transfer',
      subject: { type: 'provider-deposit', id: newer.subject.id, userId: UNKNOWN_ID, txHash: '0xabc' },
      message: 'A transaction pays twice.',
      nextStep: 'Book the second transfer by hand.',
      createdAt: platform.clock.now().toISOString(),
      resolvedAt: null,
      resolvedBy: null,
      reason: null,
    });
    expect(second.subject).toEqual({ type: 'process', id: older.subject.id, userId: null, txHash: null });
    expect((await platform.as(operator).get(`${ALERTS}?limit=1&page=2`)).body).toMatchObject({
      data: [second],
      pagination: { page: 2, limit: 1, hasPrevious: true },
    });
  });

  it('keeps one open alert per kind and subject when it is raised concurrently', async () => {
    const alert = conditionAlert();
    await Promise.all(Array.from({ length: 5 }, () => service().raise(alert)));
    expect(await alertsAbout(alert)).toHaveLength(1);
    await service().raise(eventAlert(alert.subject.id)); // another kind with the same subject
    expect(await alertsAbout(alert)).toHaveLength(2);
  });

  it('lets an admin resolve an alert once, with a reason that is recorded in the audit log', async () => {
    const alert = eventAlert();
    const id = await raiseAlert(alert);
    expect(await resolve(id, { reason: 'Booked by hand' })).toMatchObject({
      status: 200,
      data: {
        id,
        resolvedAt: platform.clock.now().toISOString(),
        resolvedBy: 'operator@example.com',
        reason: 'Booked by hand',
      },
    });
    expect(await alertsAbout(alert)).toEqual([]);
    expect(await alertsAbout(alert, '&status=resolved')).toMatchObject([
      { id, resolvedBy: 'operator@example.com' },
    ]);
    const again = await resolve(id);
    expect(again).toMatchObject({ status: 422, code: 'INVALID_STATE' });
    expect(again.body.error.details).toEqual({
      status: 'resolved',
      action: 'resolve',
      allowedFrom: ['open'],
    });
    const entries = await platform.dataSource.query(
      `select actor, action, reason from audit_entry where subject_id = $1`,
      [id],
    );
    expect(entries).toEqual([
      { actor: 'operator@example.com', action: 'alert.resolve', reason: 'Booked by hand' },
    ]);
  });

  it('raises the alert of a condition, but not of an event, again after an admin has resolved it', async () => {
    const [event, condition] = [eventAlert(), conditionAlert()];
    for (const alert of [event, condition]) {
      await resolve(await raiseAlert(alert));
      await service().raise(alert);
    }
    expect(await alertsAbout(event)).toEqual([]);
    expect(await alertsAbout(condition)).toHaveLength(1);
  });

  it('raises an alert again after the system has resolved it, even the alert of an event', async () => {
    const alert = eventAlert();
    await raiseAlert(alert);
    await service().resolveBySystem('clock-apart', alert.subject.id); // another kind
    expect(await alertsAbout(alert)).toHaveLength(1);
    await service().resolveBySystem('second-transfer', alert.subject.id);
    expect(await alertsAbout(alert, '&status=resolved')).toMatchObject([{ resolvedBy: 'system' }]);
    await service().raise(alert);
    expect(await alertsAbout(alert)).toHaveLength(1);
  });

  it.each([
    ['no reason', 'REASON_REQUIRED', {}],
    ['the reason null', 'REASON_REQUIRED', { reason: null }],
    ['a blank reason', 'REASON_REQUIRED', { reason: ' ' }],
    ['a reason of 501 characters', 'REASON_REQUIRED', { reason: 'x'.repeat(501) }],
    ['an unknown field', 'VALIDATION_ERROR', { reason: 'Done', more: true }],
  ])('refuses to resolve an alert with %s: 400 %s', async (_what, code, body) => {
    const alert = conditionAlert();
    expect(await resolve(await raiseAlert(alert), body)).toMatchObject({ status: 400, code });
    expect(await alertsAbout(alert)).toHaveLength(1);
  });

  it.each([UNKNOWN_ID, 'not-a-uuid'])(
    'answers 404 to the resolution of an alert with the unknown id %s',
    async (id) => {
      expect(await resolve(id)).toMatchObject({ status: 404, code: 'ALERT_NOT_FOUND' });
    },
  );

  it.each([
    ['page=0', 'INVALID_PAGINATION'],
    ['limit=101', 'INVALID_PAGINATION'],
    ['status=all', 'VALIDATION_ERROR'],
  ])('refuses the list with ?%s: 400 %s', async (query, code) => {
    expect(await platform.as(operator).get(`${ALERTS}?${query}`)).toMatchObject({ status: 400, code });
  });

  it('requires the permissions to read and approve withdrawals', async () => {
    const support = await platform.given.admin('support');
    const id = await raiseAlert(conditionAlert());
    expect((await platform.as(support).get(ALERTS)).code).toBe('PERMISSION_DENIED');
    expect((await resolve(id, undefined, support)).code).toBe('PERMISSION_DENIED');
  });
});
