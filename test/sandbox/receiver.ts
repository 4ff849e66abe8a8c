import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Stands where the platform would: keeps every callback, and refuses as many as it is told to. */
export class Receiver {
  readonly received: Received[] = [];
  refuseNext = 0;
  private server: Server | undefined;

  async start(): Promise<string> {
    this.server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        if (this.refuseNext > 0) {
          this.refuseNext -= 1;
          response.writeHead(500).end();
          return;
        }
        this.received.push({ path: request.url ?? '', headers: request.headers, body });
        response.end('{}');
      });
    });
    await new Promise<void>((resolve) => this.server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Waits until so many callbacks have come. */
  async until(count: number, withinMs = 10_000): Promise<Received[]> {
    const deadline = Date.now() + withinMs;
    while (this.received.length < count) {
      if (Date.now() > deadline) throw new Error(`Only ${this.received.length} of ${count} callbacks came.`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return this.received;
  }

  stop(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}
