import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { Faults } from './faults.js';
import { readMail } from './mime.js';
import { LOOPBACK } from './ports.js';

/** A mail that the server has accepted. */
export interface ReceivedMail {
  readonly id: string;
  /** When it was accepted, by real time. */
  readonly at: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly messageId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: string;
}

const MAX_MAILS = 1000;
const MAX_MAIL_BYTES = 1_000_000;
const USER = 'sandbox';
const PASSWORD = 'sandbox';

/** An SMTP server that keeps the newest mails in memory and delivers none of them. */
export class MailServer {
  /** Oldest first. */
  readonly mails: ReceivedMail[] = [];
  /** Connections since the start, including connections that ended without a mail. */
  connections = 0;
  private server: SMTPServer | undefined;
  private port = 0;

  private constructor(private readonly faults: Faults) {}

  static async start(faults: Faults): Promise<MailServer> {
    const server = new MailServer(faults);
    await server.listen();
    return server;
  }

  /** Settings of the platform that name this server. */
  get environment(): { SMTP_URL: string; MAIL_FROM: string } {
    return {
      SMTP_URL: `smtp://${USER}:${PASSWORD}@${LOOPBACK}:${this.port}`,
      MAIL_FROM: 'Sandbox Platform <no-reply@platform.example>',
    };
  }

  mailsTo(address: string): ReceivedMail[] {
    return this.mails.filter(({ to }) => to.includes(address.toLowerCase()));
  }

  /** Listens on a free port, and after `close` on the same port again. Does nothing if the server is listening. */
  async listen(): Promise<void> {
    if (this.server) return;
    const server = new SMTPServer({
      hideSTARTTLS: true,
      allowInsecureAuth: true,
      disableReverseLookup: true,
      size: MAX_MAIL_BYTES,
      onConnect: (_session, done) => {
        this.connections += 1;
        done();
      },
      onAuth: ({ username, password }, _session, done) =>
        username === USER && password === PASSWORD
          ? done(null, { user: USER })
          : done(new Error('The user name or the password is wrong.')),
      onData: (stream, session, done) => void this.receive(server, stream, session, done),
    });
    server.on('error', () => undefined); // a client or `close` has ended a connection
    await new Promise<void>((resolve, reject) => {
      server.server.once('error', reject);
      server.listen(this.port, LOOPBACK, resolve);
    });
    this.server = server;
    this.port = (server.server.address() as AddressInfo).port;
  }

  /** Closes all connections and refuses new ones until `listen`. */
  async close(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (!server) return;
    const closed = new Promise<void>((resolve) => server.close(resolve));
    for (const { _socket: socket } of server.connections) socket.destroy();
    await closed;
  }

  private async receive(
    server: SMTPServer,
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
    done: (error?: Error | null, message?: string) => void,
  ): Promise<void> {
    const source = await readSource(stream);
    if (source === undefined) return;
    switch (this.faults.consumeFault('mail', 'answers')) {
      case 'timeout':
        return; // never answers
      case 'error':
        return done(failure(451, 'The mail server is set to fail temporarily.'));
      case 'reject':
        return done(failure(554, 'The mail server is set to reject mails.'));
      case 'cut': {
        this.store(source, session);
        const connection = [...server.connections].find(({ id }) => id === session.id);
        return void connection?._socket.destroy();
      }
      default:
        this.store(source, session);
        done(null, 'Stored.');
    }
  }

  private store(source: string, { envelope }: SMTPServerSession): void {
    const { headers, text, html } = readMail(source);
    this.mails.push({
      id: randomUUID(),
      at: new Date().toISOString(),
      from: envelope.mailFrom ? envelope.mailFrom.address : '',
      to: envelope.rcptTo.map(({ address }) => address.toLowerCase()),
      subject: headers.subject ?? '',
      messageId: headers['message-id'] ?? '',
      headers,
      text,
      html,
    });
    if (this.mails.length > MAX_MAILS) this.mails.shift();
  }
}

/** The text of a mail with its headers; undefined if the client closes the connection in the middle of the mail. */
async function readSource(stream: SMTPServerDataStream): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function failure(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
