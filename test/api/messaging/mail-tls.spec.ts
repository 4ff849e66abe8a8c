import { createServer, type AddressInfo, type Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { Jobs } from '../../../src/jobs/jobs.service.js';
import type { TestUser } from '../../fixtures/given.js';
import { MailScenario } from '../../fixtures/mail-scenario.js';
import { startReplicaWithoutPort } from '../../harness/replica.js';

describe('A mail for a mail server on another machine', () => {
  let scenario: MailScenario;
  let ann: TestUser;

  beforeAll(async () => {
    scenario = await MailScenario.start();
  });
  beforeEach(async () => {
    ann = await scenario.userWithBalance();
  });
  afterAll(() => scenario?.stop());

  const states = async () =>
    (await scenario.records(ann)).map(({ status, attempts, failure }) => [status, attempts, failure]);

  /** Reaches this machine, but does not count as a loopback address, so that TLS is required. */
  const OTHER_HOST = '0.0.0.0';
  const credentials = 'ann:canary-of-smtp';

  /** Requests a withdrawal, whose mail a second process tries to send to the server at `SMTP_URL`. */
  async function requestMailTo(SMTP_URL: string): Promise<void> {
    // The process of the platform would send the mail to the server of the sandbox.
    const pause = jest
      .spyOn(scenario.platform.app.get(Jobs).queue('mails'), 'startDue')
      .mockResolvedValue(undefined);
    expect((await scenario.steps.request(ann, '10.00')).status).toBe(201);
    await scenario.platform.caughtUp(); // the mail is in the outbox
    const replica = await startReplicaWithoutPort(scenario.platform, { SMTP_URL });
    await replica.get(Jobs).queue('mails').drain();
    await replica.close();
    pause.mockRestore();
  }

  it('is not sent without TLS, and neither are the credentials [SEC-169]', async () => {
    const commands: string[] = [];
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.write('220 ready\r\n');
      socket.on('data', (data: Buffer) => {
        commands.push(data.toString());
        if (data.toString().startsWith('EHLO')) socket.write('250-here\r\n250 AUTH PLAIN LOGIN\r\n');
        else socket.write('454 TLS is not available\r\n');
      });
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, OTHER_HOST, resolve));
    await requestMailTo(`smtp://${credentials}@${OTHER_HOST}:${(server.address() as AddressInfo).port}`);
    for (const socket of sockets) socket.destroy();
    server.close();
    expect(commands.map((command) => command.split(/\s/)[0])).toEqual(['EHLO', 'STARTTLS']);
    expect(await states()).toEqual([['waiting', 1, '454']]);
  });

  it.each(['smtp', 'smtps'])('is not sent by %s if the certificate is not valid', async (protocol) => {
    let mailCount = 0;
    const server = new SMTPServer({
      secure: protocol === 'smtps',
      logger: false,
      authOptional: true,
      disableReverseLookup: true,
      onAuth: (_auth, _session, done) => done(null, { user: 'ann' }),
      onData: (stream, _session, done) => {
        mailCount += 1;
        stream.resume().on('end', () => done());
      },
    });
    server.on('error', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, OTHER_HOST, resolve));
    await requestMailTo(
      `${protocol}://${credentials}@${OTHER_HOST}:${(server.server.address() as AddressInfo).port}`,
    );
    await new Promise<void>((resolve) => server.close(resolve));
    expect(mailCount).toBe(0);
    expect(await states()).toEqual([['waiting', 1, expect.stringMatching(/^(ESOCKET|ETLS)$/)]]);
  });
});
