import { Money } from '../../../src/common/money.js';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { CommittedEvents } from '../../../src/events/committed-events.service.js';
import { EventDispatcher } from '../../../src/events/event-dispatcher.service.js';
import { DomainEvents } from '../../../src/events/domain-events.js';
import type { TestUser } from '../../fixtures/given.js';
import { MailScenario } from '../../fixtures/mail-scenario.js';
import { WEBHOOKS } from '../../fixtures/webhook-scenario.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';
import { eventually } from '../../harness/eventually.js';

// What follows from an event in the whole service. src/events/event-dispatcher.db-spec.ts has the rules of the dispatcher.

const CONSUMERS = ['mails', 'notifications', 'totals', 'user-figures', 'webhooks'];

const withdrawalOf = ({ id }: TestUser, at: Date) =>
  ({
    name: 'withdrawal.requested',
    userId: id,
    at,
    withdrawalId: id,
    currency: 'USDC',
    toAddress: DESTINATION,
    amount: Money.of('10.00'),
    txHash: null,
    reason: null,
  }) as const;

describe('The consumers of events', () => {
  let scenario: MailScenario;
  let ann: TestUser;

  beforeAll(async () => {
    scenario = await MailScenario.start();
  });
  beforeEach(async () => {
    ann = await scenario.userWithBalance();
    const webhook = { url: 'http://127.0.0.1:9/', events: ['withdrawal.requested'] };
    expect((await scenario.platform.as(ann).post(WEBHOOKS, webhook)).status).toBe(201);
    await scenario.forgetMailsOf(ann);
  });
  afterAll(() => scenario?.stop());

  const sql = (text: string, parameters: unknown[] = []): Promise<any[]> =>
    scenario.platform.dataSource.query(text, parameters);
  const withdraw = async (): Promise<string> => (await scenario.steps.request(ann, '10.00')).data.id;
  /** The ids of the mails, notifications and webhook deliveries that the user has got because of withdrawals. */
  const rows = async (): Promise<Record<string, string[]>> => {
    await scenario.platform.caughtUp();
    const [row] = await sql(
      `select array(select id from mail where user_id = $1 and kind like 'withdrawal%' order by id) as mails,
              array(select id from notification where user_id = $1 and type = 'withdrawal' order by id) as notifications,
              array(select delivery.id from webhook_delivery as delivery
                      join webhook_subscription as webhook on webhook.id = subscription_id
                     where webhook.user_id = $1 order by delivery.id) as webhooks`,
      [ann.id],
    );
    return row as Record<string, string[]>;
  };

  it('are registered, and have all read to the last event', async () => {
    await withdraw();
    await scenario.platform.caughtUp();
    const [{ last }] = await sql('select max(number)::int as last from domain_event');
    const cursors = await sql('select name, number::int as number from event_consumer order by name');
    expect(cursors.map(({ name }) => name)).toEqual(CONSUMERS);
    // Their own events, about new notifications, may follow the last one that `caughtUp` waits for.
    await eventually(async () =>
      expect(await sql('select name from event_consumer where number < $1', [last])).toEqual([]),
    );
  });

  it('write what follows from a committed withdrawal, and nothing before its commit or for one that is rolled back', async () => {
    const { app, clock } = scenario.platform;
    const rolledBack = app.get(UnitOfWork).runInTransaction(async (tx) => {
      await app.get(DomainEvents).emit(tx, withdrawalOf(ann, clock.now()));
      throw new Error('undone');
    });
    await expect(rolledBack).rejects.toThrow('undone');
    expect(await rows()).toEqual({ mails: [], notifications: [], webhooks: [] });
    await withdraw();
    const written = await rows();
    expect(Object.entries(written).map(([name, ids]) => [name, ids.length])).toEqual([
      ['mails', 1],
      ['notifications', 1],
      ['webhooks', 1],
    ]);
  });

  it('wait for an erasure before they lock rows of its user, which the erasure deletes', async () => {
    const { app, clock, dataSource } = scenario.platform;
    // The consumer of mails locks the mail about the first event, since the second one follows within ten minutes. An approval causes
    // neither a notification nor a delivery here, so that only this consumer waits.
    const approve = () =>
      app
        .get(UnitOfWork)
        .runInTransaction((tx) =>
          app.get(DomainEvents).emit(tx, { ...withdrawalOf(ann, clock.now()), name: 'withdrawal.approved' }),
        );
    await approve();
    expect((await rows()).mails).toHaveLength(1);
    const dispatcher = app.get(EventDispatcher);
    const paused = jest.spyOn(dispatcher, 'onCheck').mockReturnValue(undefined);
    await approve();
    const [{ last }] = await sql('select max(number)::int as last from domain_event');
    // An event that is committed after the erasure has begun would wait for its end.
    await eventually(async () => expect(app.get(CommittedEvents).reached).toBeGreaterThanOrEqual(last));
    const erasure = dataSource.createQueryRunner();
    await erasure.startTransaction();
    try {
      await erasure.query('select from platform_user where id = $1 for update', [ann.id]);
      paused.mockRestore();
      dispatcher.onCheck({ isPoll: true });
      await eventually(async () =>
        expect(
          await sql(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          ),
        ).toHaveLength(1),
      );
      await erasure.query(`set local lock_timeout = '100ms'`);
      await erasure.query('delete from mail where user_id = $1', [ann.id]);
    } finally {
      await erasure.rollbackTransaction();
      await erasure.release();
    }
    expect((await rows()).mails).toHaveLength(2);
  });

  it('write nothing twice when an operator sets their cursors back', async () => {
    await withdraw();
    const before = await rows();
    await sql('update event_consumer set number = 0');
    const [{ last }] = await sql('select max(number)::int as last from domain_event');
    await eventually(async () =>
      expect(await sql('select name from event_consumer where number < $1', [last])).toEqual([]),
    );
    expect(await rows()).toEqual(before);
    expect(await sql('select * from event_failure')).toEqual([]);
  });

  it('go on without the one that cannot write, which leaves out only the event that it could not handle', async () => {
    await scenario.platform.caughtUp();
    // The trigger refuses the notifications of one user.
    await sql(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
       create trigger refuse before insert on notification for each row
          when (new.user_id = '${ann.id}') execute function refuse()`,
    );
    const refused = await withdraw();
    const ben = await scenario.platform.given.user().withBalance('10.00');
    await eventually(async () =>
      expect(
        await sql(
          `select consumer, subject_id as "subjectId", error from event_failure
             join domain_event on number = event_number`,
        ),
      ).toEqual([
        { consumer: 'notifications', subjectId: refused, error: expect.stringContaining('refused') },
      ]),
    );
    await sql('drop trigger refuse on notification; drop function refuse');
    await sql('delete from event_failure');
    await withdraw();
    const { mails, notifications, webhooks } = await rows();
    expect([mails?.length, notifications?.length, webhooks?.length]).toEqual([2, 1, 2]);
    const notificationsOfBen = (await scenario.platform.as(ben).get('/api/user/notifications')).data;
    expect(notificationsOfBen).toHaveLength(1); // about the deposit, which was emitted meanwhile
  });
});
