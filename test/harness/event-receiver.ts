import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { stopServer } from './stop-server.js';

interface ReceivedEvent {
  /** Header webhook-id. */
  id: string;
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Responder = (response: ServerResponse, event: ReceivedEvent) => void;

export const accept: Responder = (response) => response.writeHead(204).end();

/** A user's webhook receiver on loopback: stores events and responds by `answer`, which tests replace. */
export class EventReceiver {
  readonly received: ReceivedEvent[] = [];
  answer: Responder = accept;
  private server: Server | undefined;
  private port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.port}/hooks`;
  }

  /** A restart uses the same port. */
  async start(): Promise<void> {
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        const event = {
          ...JSON.parse(body),
          id: request.headers['webhook-id'],
          headers: request.headers,
          body,
        };
        this.received.push(event);
        this.answer(response, event);
      });
    });
    await once(server.listen(this.port, '127.0.0.1'), 'listening'); // throws if the port is taken
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  async stop(): Promise<void> {
    await stopServer(this.server);
  }

  /** Responds with 204 from now on. */
  acceptAgain(): void {
    this.answer = accept;
  }

  types(): string[] {
    return this.received.map(({ type }) => type);
  }

  ids(): string[] {
    return this.received.map(({ id }) => id);
  }
}

/** Verifies the signature of an event with the library that receivers use. */
export function isSignedBy(secret: string, { body, headers }: ReceivedEvent): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
