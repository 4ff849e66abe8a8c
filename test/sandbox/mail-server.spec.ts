import { once } from 'node:events';
import { connect } from 'node:net';
import { createTransport } from 'nodemailer';
import { Faults } from '../../src/sandbox/faults.js';
import { MailServer } from '../../src/sandbox/mail-server.js';

describe("The sandbox's mail server", () => {
  let server: MailServer;

  beforeAll(async () => {
    server = await MailServer.start(new Faults());
  });
  afterAll(() => server?.close());

  it('drops a mail whose client closes the connection in the middle, and accepts the next mail', async () => {
    const { hostname, port, username, password } = new URL(server.environment.SMTP_URL);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    const plain = Buffer.from(`\0${username}\0${password}`).toString('base64');
    const commands = [
      'EHLO client',
      `AUTH PLAIN ${plain}`,
      'MAIL FROM:<a@x.example>',
      'RCPT TO:<b@x.example>',
      'DATA',
    ];
    await once(socket, 'data');
    for (const command of commands) {
      socket.write(`${command}\r\n`);
      await once(socket, 'data');
    }
    socket.write('Subject: half a mail\r\n');
    socket.destroy();
    await once(socket, 'close');

    const transport = createTransport(server.environment.SMTP_URL);
    await transport.sendMail({ from: 'a@x.example', to: 'b@x.example', subject: 'Whole', text: 'Hello' });
    transport.close();
    expect(server.mails.map(({ subject }) => subject)).toEqual(['Whole']);
  });
});
