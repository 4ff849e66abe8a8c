import type { DataSource } from 'typeorm';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { newId } from '../common/ids.js';
import { Money } from '../common/money.js';
import { AuditEntry } from '../modules/core/audit/entities/audit-entry.entity.js';
import { YieldReport } from '../modules/investing/strategies/entities/yield-report.entity.js';
import { openDatabase } from './data-source.js';
import { insertRow, lockRow, updateRow } from './entity-rows.js';
import { PREPARING } from './prepared.js';
import { UnitOfWork } from './unit-of-work.js';

const AT = new Date('2026-03-02T10:00:00.123Z');
const LATER = new Date('2026-03-03T11:00:00.456Z');

describe('The statements of an entity', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let unitOfWork: UnitOfWork;

  beforeAll(async () => {
    database = await freshDatabase();
    const entities = [AuditEntry, YieldReport];
    dataSource = await openDatabase(
      { type: 'postgres', url: database.url, entities, extra: PREPARING },
      () => undefined,
      {
        migrate: false,
      },
    );
    unitOfWork = new UnitOfWork(dataSource);
    await dataSource.query('alter table yield_report disable trigger user'); // they refuse changes of decided reports
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const auditEntry = (fields: Partial<AuditEntry>) => ({
    id: newId(),
    at: AT,
    actor: 'admin@example.com',
    action: 'test.write',
    subjectType: 'test',
    subjectId: '1',
    ...fields,
  });
  const yieldReport = (fields: Partial<YieldReport>) => ({
    id: newId(),
    eventId: newId(),
    strategyId: 'balanced-10',
    day: '2026-03-01',
    state: 'rate' as const,
    apy: Money.of('12.50'),
    usedApy: Money.of('10'),
    realisedAmount: Money.of('0.000001'),
    reportedAt: AT,
    waitingFor: ['rate', 'realisedAmount'] as YieldReport['waitingFor'],
    ...fields,
  });
  const insertReport = async (fields: Partial<YieldReport>) => {
    const report = yieldReport(fields);
    await unitOfWork.runInTransaction(async (tx) => insertRow(tx, YieldReport, report));
    return dataSource.getRepository(YieldReport).findOneByOrFail({ eventId: report.eventId });
  };

  it.each<[name: string, before: unknown]>([
    ['an object', { amount: '1.00', nested: [1, null, 'two', { three: true }] }],
    ['an array', [1, 'two', null]],
    ['a text', 'a "text"'],
    ['null', null],
  ])('store a jsonb field that is %s as TypeORM reads it', async (_name, before) => {
    const entry = auditEntry({ before: before as object, after: { at: AT.toISOString() }, reason: null });
    await unitOfWork.runInTransaction(async (tx) => insertRow(tx, AuditEntry, entry));
    const stored = await dataSource.getRepository(AuditEntry).findOneByOrFail({ id: entry.id });
    expect(stored).toEqual({ ...entry, recordedAt: expect.any(Date), traceId: null });
    const locked = await unitOfWork.runInTransaction((tx) => lockRow(tx, AuditEntry, entry.id));
    expect(locked).toEqual(stored);
    expect(locked).toBeInstanceOf(AuditEntry);
    const [{ isNull }] = await dataSource.query<[{ isNull: boolean }]>(
      'select before is null as "isNull" from audit_entry where id = $1',
      [entry.id],
    );
    expect(isNull).toBe(before === null);
  });

  it('store dates, amounts and arrays, leave undefined fields and columns that are not inserted to their defaults', async () => {
    const stored = await insertReport({ sequence: '1000', expectedAmount: null, decidedAt: undefined });
    expect(stored).toMatchObject({
      apy: Money.of('12.50'),
      realisedAmount: Money.of('0.000001'),
      expectedAmount: null,
      reportedAt: AT,
      day: '2026-03-01',
      decidedAt: null,
      waitingFor: ['rate', 'realisedAmount'],
    });
    expect(stored.sequence).not.toBe('1000'); // the column has `insert: false`
  });

  it('update only the defined fields of one row, and set fields to null', async () => {
    const other = await insertReport({});
    const report = await insertReport({
      decidedBy: 'admin@example.com',
      decidedAt: AT,
      appliedOn: '2026-03-01',
    });
    await unitOfWork.runInTransaction(async (tx) => {
      const locked = await lockRow(tx, YieldReport, report.id);
      expect(locked).toEqual(report);
      updateRow(tx, YieldReport, report.id, {
        usedApy: Money.of('11.25'),
        appliedOn: null,
        decidedAt: LATER,
        decidedBy: undefined,
        waitingFor: [],
        decisionReason: `a 'reason'`,
      });
    });
    const changes = { usedApy: Money.of('11.25'), appliedOn: null, decidedAt: LATER, waitingFor: [] };
    const reports = dataSource.getRepository(YieldReport);
    expect(await reports.findOneByOrFail({ id: report.id })).toEqual({
      ...report,
      ...changes,
      decisionReason: `a 'reason'`,
    });
    expect(await reports.findOneByOrFail({ id: other.id })).toEqual(other);
  });

  it('change nothing for an update without defined fields', async () => {
    const report = await insertReport({});
    await unitOfWork.runInTransaction(async (tx) => {
      await lockRow(tx, YieldReport, report.id);
      updateRow(tx, YieldReport, report.id, { decidedBy: undefined });
    });
    expect(await dataSource.getRepository(YieldReport).findOneByOrFail({ id: report.id })).toEqual(report);
  });

  it('insert nothing in a conflict that the caller permits, and name the constraint in another one', async () => {
    const report = await insertReport({});
    const again = { ...yieldReport({}), eventId: report.eventId, usedApy: Money.of('20') };
    await unitOfWork.runInTransaction(async (tx) => {
      insertRow(tx, YieldReport, again, 'on conflict (event_id) do nothing');
    });
    expect(await dataSource.getRepository(YieldReport).findOneByOrFail({ id: report.id })).toEqual(report);
    const insertAgain = unitOfWork.runInTransaction(async (tx) => insertRow(tx, YieldReport, again));
    await expect(insertAgain).rejects.toThrow('yield_report_pkey');
  });

  it('lock the row until the transaction ends, and return null for an unknown id', async () => {
    const report = await insertReport({});
    await unitOfWork.runInTransaction(async (tx) => {
      expect(await lockRow(tx, YieldReport, newId())).toBeNull();
      await lockRow(tx, YieldReport, report.id);
      const skipped = 'select from yield_report where id = $1 for update skip locked';
      expect(await dataSource.query(skipped, [report.id])).toEqual([]);
    });
  });
});
