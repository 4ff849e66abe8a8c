import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LOOPBACK } from './ports.js';

export interface RunningServer {
  url: string;
  stop(): Promise<void>;
}

/**
 * Serves HTTP; for port 0 the system chooses a free one. Listens on the loopback address only, because the sandbox issues tokens
 * and money without authentication.
 */
export async function serve(listener: RequestListener, port: number): Promise<RunningServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, resolve);
  });
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
