import { LiveClient } from '../harness/live-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { DESTINATION } from '../fixtures/withdrawals.js';
import type { TestUser } from '../fixtures/given.js';

describe('Live delivery', () => {
  let platform: TestPlatform;
  const clients: LiveClient[] = [];

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.end()));
  });
  afterAll(() => platform.stop());

  const connect = async (options: Parameters<typeof LiveClient.connect>[1]): Promise<LiveClient> => {
    const client = await LiveClient.connect(platform.baseUrl, options);
    clients.push(client);
    return client.ready();
  };
  const ticketOf = async (caller: { token: string }, kind: 'user' | 'admin' = 'user'): Promise<string> => {
    const reply = await platform.as(caller).post(`/api/${kind}/live/ticket`);
    expect(reply.status).toBe(201);
    return reply.data.ticket as string;
  };
  const withdraw = (user: TestUser, headers = {}) =>
    platform
      .as(user)
      .post('/api/user/withdrawals', { amount: '100.00', currency: 'USDC', toAddress: DESTINATION }, { headers });

  it('opens a connection with a ticket and sends a hello first', async () => {
    const user = await platform.given.user().withBalance('500.00');
    const client = await connect({ ticket: await ticketOf(user) });
    expect(client.messages).toEqual([
      { type: 'hello', at: platform.clock.now().toISOString(), data: { replayed: 0, complete: true } },
    ]);
  });

  it('sends the events of a withdrawal with the data of the webhooks, the notification and the balance', async () => {
    const user = await platform.given.user().withBalance('500.00');
    const client = await connect({ token: user.token });
    const { data: withdrawal } = await withdraw(user);
    const events = await client.received(3);
    expect(client.types).toEqual(['withdrawal.requested', 'notification.created', 'balance.changed']);
    expect(events[0]?.data).toMatchObject({ withdrawalId: withdrawal.id, status: 'pending', amount: '100.00' });
    const { data: balance } = await platform.as(user).get('/api/user/balance');
    const { total, available, invested, reserved } = balance;
    expect(events[2]?.data).toEqual({ total, available, invested, reserved });
    expect(balance).toMatchObject({ total: '400.00', available: '400.00', reserved: '100.00' });
    const { data: notifications } = await platform.as(user).get('/api/user/notifications');
    expect(events[1]?.data).toEqual(notifications[0]);
  });
});
