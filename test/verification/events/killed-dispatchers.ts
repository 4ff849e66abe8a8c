import { setTimeout as sleep } from 'node:timers/promises';
import { CommittedEvents } from '../../../src/events/committed-events.service.js';
import { derivedId } from '../../../src/events/derived-ids.js';
import { committedEvents, wrongSums, writtenAndExpectedEffects } from '../../fixtures/event-effects.js';
import { RecordedSubscription } from '../../fixtures/live-subscriptions.js';
import { storedMessages } from '../../fixtures/live.js';
import { WebhookScenario, type Subscriber } from '../../fixtures/webhook-scenario.js';
import { caughtUp } from '../../harness/caught-up.js';
import { DESTINATION, USER_WITHDRAWALS } from '../../fixtures/withdrawals.js';
import { accept, type Responder } from '../../harness/event-receiver.js';
import { ApiProcess } from '../../harness/api-process.js';
import { eventually } from '../../harness/eventually.js';
import { TcpProxy } from '../../harness/tcp-proxy.js';
import { undefinedWithoutResponse } from '../../harness/writes-during-kills.js';

const USERS = 4;
const WRITE_PAUSE_MS = 100; // leaves CPU time to the process that starts
/** One of this number of kills ends a process. The other kills end a session, because a process takes seconds to start. */
const KILLS_PER_PROCESS_KILL = 5;
const KILLS_PER_PROGRESS_LINE = 20;
const HANDLED_MS = 60_000; // long, because the machine may be busy

const NAMES = ['first', 'second'] as const;
/** The session with the lock that lets its process dispatch events. */
const FIND_LEADER = `
  select pid, application_name as name from pg_stat_activity join pg_locks using (pid)
   where application_name = any($1::text[]) and datname = current_database() and locktype = 'advisory' and granted`;
/** The session that has locked the cursors of the consumers at this moment. */
const TERMINATE_DISPATCH = `
  select pg_terminate_backend(pid) as "isTerminated" from pg_locks
   where database = (select oid from pg_database where datname = current_database())
     and relation = 'event_consumer'::regclass and mode = 'RowShareLock' and granted and pid <> pg_backend_pid()`;
/** The last event that all consumers have handled, and the last one of all. */
const FIND_CURSOR = `
  select min(number)::float8 as cursor, (select max(number)::float8 from domain_event) as last
    from event_consumer where name = any($1::text[])`;
const CURSORS = ['notifications', 'webhooks', 'mails', 'totals', 'user-figures'];
const FIND_DELIVERIES = 'select id from webhook_delivery where subscription_id = $1 order by created_at, id';
const FIND_UNDELIVERED = `select from webhook_delivery where status <> 'delivered' and subscription_id = any($1::uuid[])`;
// Repeats at once the deliveries that a receiver has refused, or that a process had claimed when it was killed.
const REPEAT_DELIVERIES = `
  update webhook_delivery set due_at = now() where status = 'pending' and subscription_id = any($1::uuid[])`;
const REPEAT_MS = 1000;

const refuse: Responder = (response) => response.writeHead(503).end();

interface WritingUser extends Subscriber {
  readonly live: RecordedSubscription;
  /** Ids of records in the order of their responses. */
  readonly acknowledgedIds: string[];
}

/**
 * Users request withdrawals and invest at two API processes, which have the consumers of events to themselves. The process that
 * dispatches events is killed, and so are its sessions: the one that finds committed events and the one that writes for the
 * consumers. The receivers of the users' webhooks refuse deliveries for a part of the time.
 */
export class KilledDispatchers {
  private readonly killed = { processes: 0, sessions: 0 };

  private constructor(
    private readonly scenario: WebhookScenario,
    private readonly processes: readonly [ApiProcess, ApiProcess],
    private readonly proxy: TcpProxy,
    private readonly users: readonly WritingUser[],
    private readonly hasMail: boolean,
  ) {}

  /**
   * `mail`: whether mails are compared, too. Only for runs of less than ten minutes: after that a mail that sums up several events is
   * due, and whether it or a new mail reports an event depends on the time at which a process handles the event.
   */
  static async start({ mail }: { mail: boolean }): Promise<KilledDispatchers> {
    const settings = { WITHDRAWAL_DAILY_LIMIT: '1000000000.00' };
    const scenario = await WebhookScenario.start(settings, { at: new Date().toISOString(), mail });
    const { env } = scenario.platform;
    const launch = (name: string) => {
      const url = new URL(env.DATABASE_URL as string);
      url.searchParams.set('application_name', name); // for FIND_LEADER
      return ApiProcess.launch({ ...env, DATABASE_URL: url.toString(), DATABASE_POOL_SIZE: '5' });
    };
    await scenario.platform.app.get(CommittedEvents).onModuleDestroy(); // the platform dispatches no events any more
    const processes = [await launch(NAMES[0]), await launch(NAMES[1])] as const;
    for (const process of processes) await process.waitUntilReady();
    const proxy = await TcpProxy.startFor(processes[0].url);
    const users: WritingUser[] = [];
    for (let n = 0; n < USERS; n++) users.push(await writingUser(scenario, proxy));
    return new KilledDispatchers(scenario, processes, proxy, users, mail);
  }

  async stop(): Promise<void> {
    for (const { live } of this.users) live.subscription.close();
    for (const process of this.processes) await process.kill();
    await this.proxy.close();
    await this.scenario.stop();
  }

  /** Kills `kills` times while all users write, then requires that every event has had its effects once. Returns the counts. */
  async run(kills: number): Promise<string> {
    let isRunning = true;
    const writers = this.users.map((user) => this.write(user, () => isRunning));
    const beganAt = performance.now();
    try {
      for (let kill = 1; kill <= kills; kill++) {
        for (const { receiver } of this.users) receiver.answer = kill % 4 === 0 ? refuse : accept;
        if (kill % KILLS_PER_PROCESS_KILL === 0) await this.killLeader();
        else if (kill % 2 === 0) await this.terminateLeader();
        else await this.terminateDispatch();
        if (kill % KILLS_PER_PROGRESS_LINE === 0)
          process.stderr.write(
            `  ${kill} of ${kills} kills, ${((performance.now() - beganAt) / 1000).toFixed(0)} s\n`,
          );
      }
    } finally {
      isRunning = false;
      await Promise.all(writers);
    }
    return this.requireEffects(kills);
  }

  private sql<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.scenario.platform.dataSource.query(text, values);
  }

  private findLeader(): Promise<{ pid: number; name: string }> {
    return eventually(async () => {
      const [leader] = await this.sql<{ pid: number; name: string }>(FIND_LEADER, [NAMES]);
      if (!leader) throw new Error('no process dispatches events');
      return leader;
    });
  }

  /** Kills the process that dispatches events, and starts it again. Live clients connect to the other one. */
  private async killLeader(): Promise<void> {
    const { name } = await this.findLeader();
    const [victim, survivor] = name === NAMES[0] ? this.processes : [this.processes[1], this.processes[0]];
    this.proxy.redirectTo(survivor.url);
    await this.duringDispatch(() => victim.kill());
    victim.start();
    await victim.waitUntilReady();
    this.killed.processes++;
    await this.handled();
  }

  /** Ends the session with the lock of the process that dispatches events. */
  private async terminateLeader(): Promise<void> {
    const { pid } = await this.findLeader();
    const terminated = await this.sql('select pg_terminate_backend($1) as "isTerminated"', [pid]);
    expect(terminated).toEqual([{ isTerminated: true }]);
    this.killed.sessions++;
    await this.handled();
  }

  /** Ends a session while it writes what follows from events. */
  private async terminateDispatch(): Promise<void> {
    const deadline = performance.now() + HANDLED_MS;
    const terminate = () => this.sql<{ isTerminated: boolean }>(TERMINATE_DISPATCH);
    while (!(await terminate()).some(({ isTerminated }) => isTerminated))
      if (performance.now() > deadline) throw new Error('no session writes what follows from events');
    this.killed.sessions++;
    await this.handled();
  }

  /** Calls `kill` while a session writes what follows from events, if there is one within the time. */
  private async duringDispatch(kill: () => Promise<void>): Promise<void> {
    const isDispatching = TERMINATE_DISPATCH.replace('pg_terminate_backend(pid)', 'true');
    const deadline = performance.now() + 1000;
    while (performance.now() < deadline && (await this.sql(isDispatching)).length === 0);
    await kill();
  }

  /** Waits until the consumers have handled every event that is committed at the call. */
  private async handled(): Promise<void> {
    const [before] = await this.sql<{ last: number }>(FIND_CURSOR, [CURSORS]);
    await eventually(async () => {
      const [now] = await this.sql<{ cursor: number }>(FIND_CURSOR, [CURSORS]);
      expect(now?.cursor).toBeGreaterThanOrEqual(before?.last as number);
    }, HANDLED_MS);
  }

  /** Writes in sequence. A request without a response is not repeated; it may have been carried out. */
  private async write({ user, acknowledgedIds }: WritingUser, isRunning: () => boolean): Promise<void> {
    for (let turn = 0; isRunning(); turn++) {
      const { url } = this.processes[turn % 2] as ApiProcess;
      const [path, body] =
        turn % 3 === 0
          ? ['/api/user/investments', { strategyId: 'balanced-10', amount: '10.00' }]
          : [USER_WITHDRAWALS, { amount: '10.00', currency: 'USDC', toAddress: DESTINATION }];
      const reply = await this.scenario.platform
        .as(user, url)
        .post(path as string, body)
        .catch(undefinedWithoutResponse);
      if (reply?.status === 201) acknowledgedIds.push(reply.data.id as string);
      await sleep(WRITE_PAUSE_MS);
    }
  }

  private async requireEffects(kills: number): Promise<string> {
    const { platform } = this.scenario;
    for (const process of this.processes) await process.waitUntilReady();
    await this.handled();
    expect(await this.sql('select consumer, error from event_failure')).toEqual([]);
    const userIds = this.users.map(({ user }) => user.id);
    const { written, expected } = await writtenAndExpectedEffects(platform, userIds);
    expect(written).toEqual(expected);
    if (this.hasMail) expect(written.mails.length).toBeGreaterThanOrEqual(USERS);
    await this.requireSums();
    await this.deliverAll();
    for (const user of this.users) await this.requireEffectsOf(user);
    const events = await committedEvents(platform, 0, userIds);
    expect(events.length).toBeGreaterThan(USERS * kills);
    const { processes, sessions } = this.killed;
    expect(processes + sessions).toBe(kills);
    return `${processes} processes and ${sessions} sessions killed, ${events.length} events, ${written.deliveries.length} deliveries: 0 lost, 0 repeated, 0 out of order`;
  }

  private async requireSums(): Promise<void> {
    const { platform } = this.scenario;
    platform.clock.moveTo(new Date()); // the time of the processes
    await caughtUp(platform);
    expect(await wrongSums(platform)).toEqual([]);
  }

  /** Requires one live message and one row of a delivery for each event, in their order. A receiver may get a delivery twice. */
  private async requireEffectsOf({ user, id, receiver, live, acknowledgedIds }: WritingUser): Promise<void> {
    const { dataSource } = this.scenario.platform;
    const [first = ''] = live.ids();
    await eventually(async () => {
      const ids = (await storedMessages(dataSource, user.id)).map((message) => message.id);
      expect(live.ids()).toEqual(ids.slice(ids.indexOf(first)));
    });
    expect(live.gaps).toEqual([0]); // one gap, before the first event

    const events = await committedEvents(this.scenario.platform, 0, [user.id]);
    const written = events.filter(({ event: { name } }) =>
      /^(withdrawal\.requested|investment\.created)$/.test(name),
    );
    const ids = written.map(({ event }) => {
      const { withdrawalId, investmentId } = event as { withdrawalId?: string; investmentId?: string };
      return withdrawalId ?? investmentId;
    });
    const acknowledged = new Set(acknowledgedIds);
    expect(acknowledgedIds).not.toHaveLength(0);
    expect(ids.filter((recordId) => acknowledged.has(recordId as string))).toEqual(acknowledgedIds);

    const deliveries = (await this.sql<{ id: string }>(FIND_DELIVERIES, [id])).map((delivery) => delivery.id);
    const ofMoney = events.filter(({ event: { name } }) => /^(deposit|withdrawal|investment)\./.test(name));
    expect(deliveries).toEqual(ofMoney.map((recorded) => derivedId(recorded.id, 'webhooks', id)));
    expect([...new Set(receiver.ids())].sort()).toEqual([...deliveries].sort());
  }

  /** Waits until the receivers have accepted every delivery. */
  private async deliverAll(): Promise<void> {
    for (const { receiver } of this.users) receiver.answer = accept;
    const webhooks = [this.users.map(({ id }) => id)];
    await eventually(async () => {
      await this.sql(REPEAT_DELIVERIES, webhooks);
      await sleep(REPEAT_MS);
      expect(await this.sql(FIND_UNDELIVERED, webhooks)).toHaveLength(0);
    }, HANDLED_MS);
  }
}

/** A user with a webhook and a live connection, which both get the user's first deposit. */
async function writingUser(scenario: WebhookScenario, proxy: TcpProxy): Promise<WritingUser> {
  const { platform } = scenario;
  const subscriber = await scenario.subscribe(undefined, await platform.given.user());
  const live = new RecordedSubscription({ baseUrl: proxy.url, token: subscriber.user.token });
  await live.live();
  await platform.given.deposit(subscriber.user.id, '100000000.00');
  await eventually(async () => expect(live.ids('deposit.completed')).not.toHaveLength(0));
  return { ...subscriber, live, acknowledgedIds: [] };
}
