import { request as httpRequest, type IncomingMessage } from 'node:http';
import { WebSocket, type ClientOptions } from 'ws';
import { eventually } from './eventually.js';
import { recordErrorCode } from './error-catalogue.js';

export interface LiveMessage {
  id?: string;
  type: string;
  at: string;
  data: any;
}

export interface ConnectOptions {
  ticket?: string;
  after?: string;
  token?: string;
  /** Further query parameters. */
  query?: Record<string, string>;
  headers?: Record<string, string>;
  socket?: ClientOptions;
}

/** A client of live delivery that keeps the received messages. */
export class LiveClient {
  readonly messages: LiveMessage[] = [];
  /** The JSON texts of `messages`. */
  readonly texts: string[] = [];
  closed: { code: number; reason: string } | undefined;

  private constructor(
    readonly socket: WebSocket,
    readonly headers: IncomingMessage['headers'],
  ) {}

  static async connect(baseUrl: string, options: ConnectOptions): Promise<LiveClient> {
    const { ticket, after, token, headers, query, socket: socketOptions } = options;
    const parameters = new URLSearchParams({
      ...query,
      ...(ticket ? { ticket } : {}),
      ...(after ? { after } : {}),
    });
    const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/api/live?${parameters.toString()}`, {
      headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers },
      ...socketOptions,
    });
    const earlyTexts: string[] = []; // messages that arrive before `open` is handled
    const store = (data: Buffer) => earlyTexts.push(data.toString());
    socket.on('message', store);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      let upgrade: IncomingMessage;
      socket.once('upgrade', (received) => (upgrade = received));
      socket.once('open', () => resolve(upgrade));
      socket.once('error', reject);
    });
    const client = new LiveClient(socket, response.headers);
    socket.off('message', store);
    for (const text of earlyTexts) client.receive(text);
    socket.on('message', (data: Buffer) => client.receive(data.toString()));
    socket.on('close', (code, reason) => (client.closed = { code, reason: String(reason) }));
    socket.on('error', () => undefined);
    return client;
  }

  private receive(text: string): void {
    this.texts.push(text);
    this.messages.push(JSON.parse(text) as LiveMessage);
  }

  get hello(): LiveMessage | undefined {
    return this.messages[0];
  }

  get events(): LiveMessage[] {
    return this.messages.slice(1);
  }

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }

  /** Waits for the first message, which is `hello`. */
  async ready(): Promise<this> {
    await eventually(async () => expect(this.hello?.type).toBe('hello'));
    return this;
  }

  /** Waits until at least `count` events have arrived, and returns all that have. */
  async received(count: number): Promise<LiveMessage[]> {
    await eventually(async () => expect(this.events.length).toBeGreaterThanOrEqual(count));
    return this.events;
  }

  /** Waits until the connection is closed and returns the close code. */
  async closedWith(): Promise<number> {
    await eventually(async () => expect(this.closed).toBeDefined());
    return (this.closed as { code: number }).code;
  }

  /** Breaks the connection without a close frame. */
  async end(): Promise<void> {
    this.socket.terminate();
    await this.closedWith();
  }
}

export interface Refusal {
  status: number;
  headers: IncomingMessage['headers'];
  code: string | undefined;
  body: any;
}

const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** Sends an upgrade that is expected to be refused, and returns the response. `null` leaves a header out. */
export async function refusedUpgrade(
  url: string,
  headers: Record<string, string | null> = {},
  method = 'GET',
): Promise<Refusal> {
  const sent = Object.entries({ ...HANDSHAKE, ...headers }).filter(([, value]) => value !== null);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const call = httpRequest(url, { method, headers: Object.fromEntries(sent) as Record<string, string> });
    call.once('response', resolve);
    call.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('the upgrade was admitted'));
    });
    call.once('error', reject);
    call.end();
  });
  let text = '';
  for await (const part of response) text += String(part);
  const body = JSON.parse(text) as { error?: { code?: string } };
  const code = body.error?.code;
  recordErrorCode(code);
  return { status: response.statusCode as number, headers: response.headers, code, body };
}

/** Sends an upgrade and returns the status of the response: 101 if the service admits it. Closes an admitted connection. */
export function upgradeStatus(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = httpRequest(url, { headers: HANDSHAKE });
    call.once('response', (response) => resolve(response.resume().statusCode as number));
    call.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response.statusCode as number);
    });
    call.once('error', reject);
    call.end();
  });
}
