import { createHash } from 'node:crypto';
import { DAY_MS, MINUTE_MS } from '../../../src/common/durations.js';
import { MAIL_KINDS } from '../../../src/modules/messaging/mail/mail.types.js';
import { MailsJob } from '../../../src/modules/messaging/mail/mails.job.js';
import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import { approvalSteps } from '../../fixtures/approvals.js';
import type { TestUser } from '../../fixtures/given.js';
import { LOCK, LOCK_BY_LINK, lockTokenOf } from '../../fixtures/locks.js';
import { MailScenario } from '../../fixtures/mail-scenario.js';
import { changeSealed, sealedRows } from '../../fixtures/sealed-rows.js';
import { sendRequest } from '../../harness/http-client.js';

describe('The link in mails that locks an account', () => {
  let scenario: MailScenario;

  beforeAll(async () => {
    scenario = await MailScenario.start();
  });
  afterAll(() => scenario?.stop());

  const as = (user: { token: string } | null) => scenario.platform.as(user);
  const lockByLink = (token: string | undefined) => as(null).post(LOCK_BY_LINK, { token });
  const isLocked = async (user: TestUser): Promise<boolean> => {
    const sql = 'select locked_at is not null as locked from platform_user where id = $1';
    const [row] = await scenario.platform.dataSource.query<[{ locked: boolean }]>(sql, [user.id]);
    return row.locked;
  };
  /** Requests a withdrawal, and returns the token of the link in its mail. */
  async function tokenOfMailTo(user: TestUser): Promise<string> {
    await scenario.separateMails();
    scenario.forgetReceivedMails();
    await scenario.steps.request(user, '100.00');
    await scenario.sendDueMails();
    const [mail] = scenario.mailsTo(user);
    return lockTokenOf(mail) as string;
  }

  it('locks the account once and ends all its sessions, also the one that asked for the withdrawal [SEC-540]', async () => {
    const ann = await scenario.userWithBalance();
    const token = await tokenOfMailTo(ann);
    const { status, data } = await lockByLink(token);
    expect([status, data.locked]).toEqual([
      200,
      { since: expect.any(String), by: 'link', unlock: 'step-up', reason: null },
    ]);
    expect((await as(ann).get('/api/user/balance')).code).toBe('TOKEN_INVALID');
    const again = await scenario.platform.given.user(ann.email);
    expect((await scenario.steps.request(again, '100.00')).code).toBe('ACCOUNT_LOCKED');
    const repeated = await lockByLink(token);
    expect([repeated.status, repeated.code]).toEqual([401, 'TOKEN_INVALID']);
  });

  it('is mailed, notified and audited when it is used, and its mail has another link', async () => {
    const ann = await scenario.userWithBalance();
    await lockByLink(await tokenOfMailTo(ann));
    await scenario.sendDueMails();
    const mail = scenario.mailsTo(ann).at(-1);
    expect(mail?.subject).toBe('Your account is locked');
    expect(lockTokenOf(mail)).toMatch(/^[\w-]{43}$/);
    const again = await scenario.platform.given.user(ann.email);
    const { data: notes } = await as(again).get('/api/user/notifications?type=security');
    expect(notes).toContainEqual(
      expect.objectContaining({
        title: 'Account locked',
        priority: 'critical',
        metadata: { event: 'security.account-locked' },
      }),
    );
    const path = `/api/admin/audit?subjectType=user&subjectId=${ann.id}`;
    const { data: entries } = await as(scenario.steps.admin).get(path);
    expect(entries).toMatchObject([
      { action: 'user.lock', admin: ann.email, after: { lock: { by: 'link' } } },
    ]);
  });

  it('has one effect if eight requests use it at once', async () => {
    const ann = await scenario.userWithBalance();
    const token = await tokenOfMailTo(ann);
    const replies = await Promise.all(Array.from({ length: 8 }, () => lockByLink(token)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)]);
  });

  it('locks nothing after seven days, with another token or with a row that somebody else has written [SEC-541]', async () => {
    const { dataSource } = scenario.platform;
    const ann = await scenario.userWithBalance();
    const bea = await scenario.userWithBalance();
    const token = await tokenOfMailTo(ann);
    const ofAnn = ['userId', ann.id] as const;
    await dataSource.query('update lock_token set user_id = $2 where user_id = $1', [ann.id, bea.id]);
    expect((await lockByLink(token)).code).toBe('TOKEN_INVALID');
    await dataSource.query('update lock_token set user_id = $1 where user_id = $2', [ann.id, bea.id]);
    const past = { expiresAt: new Date(Date.now() - 1000) };
    await changeSealed(dataSource, 'lock_token', ofAnn, () => past);
    expect((await lockByLink(token)).code).toBe('TOKEN_INVALID');
    const ahead = { expiresAt: new Date(Date.now() + DAY_MS) };
    await changeSealed(dataSource, 'lock_token', ofAnn, () => ahead);
    const [copy] = await sealedRows(dataSource, 'lock_token', ofAnn);
    for (const wrong of ['x', token.toLowerCase(), `${token}A`])
      expect((await lockByLink(wrong)).code).toBe('TOKEN_INVALID');
    expect([await isLocked(ann), await isLocked(bea)]).toEqual([false, false]);
    expect((await lockByLink(token)).status).toBe(200);
    await dataSource.getRepository('lock_token').insert(copy as object);
    expect((await lockByLink(token)).code).toBe('TOKEN_INVALID');
    expect((await as(null).post(LOCK_BY_LINK, {})).code).toBe('MISSING_REQUIRED_FIELD');
    expect((await as(null).post(LOCK_BY_LINK, { token: '' })).code).toBe('VALIDATION_ERROR');
  });

  it('is deleted after seven days, and not before', async () => {
    const { dataSource } = scenario.platform;
    const ann = await scenario.userWithBalance();
    const bea = await scenario.userWithBalance();
    await tokenOfMailTo(ann);
    await tokenOfMailTo(bea);
    const [row] = await sealedRows(dataSource, 'lock_token', ['userId', ann.id]);
    expect(row?.expiresAt.getTime() - row?.createdAt.getTime()).toBe(7 * DAY_MS);
    const past = { expiresAt: new Date(Date.now() - 1000) };
    await changeSealed(dataSource, 'lock_token', ['userId', ann.id], () => past);
    await scenario.platform.runJob('expired-lock-links');
    expect(await sealedRows(dataSource, 'lock_token', ['userId', ann.id])).toEqual([]);
    expect(await sealedRows(dataSource, 'lock_token', ['userId', bea.id])).not.toEqual([]);
  });

  it('of the mail to a former e-mail address locks the account after the address was changed', async () => {
    const ann = await scenario.userWithBalance();
    const earlier = await tokenOfMailTo(ann);
    scenario.forgetReceivedMails();
    const email = `new-${ann.email}`;
    const approvals = await approvalSteps(scenario.platform);
    const change = { email, reason: 'Asked in person' };
    await approvals.carryOut(as(scenario.steps.admin).put(`${ADMIN_USERS}/${ann.id}`, change));
    await scenario.sendDueMails();
    const tokens = [ann.email, email].map((address) => lockTokenOf(scenario.mailsTo({ email: address })[0]));
    expect(new Set([earlier, ...tokens]).size).toBe(3);
    for (const token of [earlier, ...tokens]) expect((await lockByLink(token)).status).toBe(200);
    expect(await isLocked(ann)).toBe(true);
  });

  it('is in a mail that stands for several events, too, and in no mail to an admin or about a deposit', async () => {
    const ann = await scenario.userWithBalance();
    for (let time = 0; time < 3; time++) await scenario.steps.request(ann, '100.00');
    await scenario.platform.caughtUp();
    scenario.platform.clock.advance(11 * MINUTE_MS); // further events of ten minutes are in one mail
    await scenario.sendDueMails();
    const mails = scenario.mailsTo(ann);
    expect(mails.map(({ subject }) => subject)).toEqual([
      'Withdrawal of 100.00 USDC requested',
      'Withdrawal of 100.00 USDC requested (+1)',
    ]);
    expect(new Set(mails.map(lockTokenOf)).size).toBe(2);
    scenario.forgetReceivedMails();
    await scenario.platform.given.deposit(ann.id, '10.00');
    const request = { email: `other-${ann.email}`, reason: 'Asked' };
    await as(scenario.steps.admin).put(`${ADMIN_USERS}/${ann.id}`, request);
    await scenario.sendDueMails();
    expect(scenario.mailsTo(ann)).toHaveLength(1);
    expect(scenario.server.mails.length).toBeGreaterThan(1);
    expect(scenario.server.mails.map(lockTokenOf).filter(Boolean)).toEqual([]);
  });

  it('is in the mails of all kinds about the security of a user', async () => {
    const ann = await scenario.userWithBalance();
    const job = scenario.platform.app.get(MailsJob);
    const ofAdmins = MAIL_KINDS.filter((kind) => /^(approval|admin)\./.test(kind));
    for (const kind of MAIL_KINDS) {
      scenario.forgetReceivedMails();
      const isAdmins = ofAdmins.includes(kind);
      const mail = { kind, details: {}, repeats: null, furtherDetails: [], language: 'de', name: null };
      const claim = { id: ann.id, attempts: 1, owner: ann.id };
      const claimed = { ...mail, ...claim, createdAt: new Date(), recipient: ann.email };
      await job.sendMail({ ...claimed, userId: isAdmins ? null : ann.id }, new AbortController().signal);
      const token = lockTokenOf(scenario.server.mails[0]);
      expect([kind, token !== undefined]).toEqual([kind, !isAdmins && kind !== 'deposit.completed']);
    }
  });

  it('locks no account of an erased user', async () => {
    const ann = await scenario.platform.given.user();
    await scenario.separateMails();
    scenario.forgetReceivedMails();
    await as(ann).put('/api/user/profile', { notifications: { email: false } });
    await scenario.sendDueMails();
    const token = lockTokenOf(scenario.mailsTo(ann)[0]);
    const removed = await as(scenario.steps.admin).delete(`${ADMIN_USERS}/${ann.id}?permanent=true`);
    expect(removed.status).toBe(200);
    expect((await lockByLink(token)).code).toBe('TOKEN_INVALID');
  });
});

describe('GET /lock', () => {
  let scenario: MailScenario;

  beforeAll(async () => {
    scenario = await MailScenario.start();
  });
  afterAll(() => scenario?.stop());

  const page = (query = '', headers: Record<string, string> = {}) =>
    sendRequest(`${scenario.platform.baseUrl}/lock${query}`, { headers });
  const hashOf = (text = '') => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

  it('answers a page that loads nothing, and runs its own script alone [SEC-547]', async () => {
    const { status, headers, text } = await page();
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const [, style] = /<style>([^]*)<\/style>/.exec(text) ?? [];
    const [, script] = /<script>([^]*)<\/script>/.exec(text) ?? [];
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${hashOf(script)}`,
      `style-src ${hashOf(style)}`,
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect([headers.get('referrer-policy'), headers.get('cache-control')]).toEqual([
      'no-referrer',
      'no-store',
    ]);
    expect(text).not.toMatch(/https?:|\ssrc=|\son\w+=|\sstyle=/);
  });

  it('is the same whatever the query, to which mail services add parameters', async () => {
    const plain = await page();
    const tracked = await page('?utm_source=mail');
    expect([tracked.status, tracked.text]).toEqual([200, plain.text]);
  });

  it('has its texts in English and German, a heading, a button and a region for the outcome', async () => {
    const { text } = await page();
    for (const part of ['<h1', '<button id="button" type="button"', 'role="status"', '<noscript>'])
      expect(text).toContain(part);
    for (const part of ['Lock my account', 'Mein Konto sperren', 'prefers-color-scheme: dark'])
      expect(text).toContain(part);
  });

  it('needs no session, and is the same with the session of a locked account', async () => {
    const ann = await scenario.userWithBalance();
    expect((await scenario.platform.as(ann).post(LOCK)).status).toBe(200);
    const plain = await page();
    const signedIn = await page('', { authorization: `Bearer ${ann.token}` });
    expect([plain.status, signedIn.status, signedIn.text]).toEqual([200, 200, plain.text]);
  });
});
