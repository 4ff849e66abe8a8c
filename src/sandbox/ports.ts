import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

export const LOOPBACK = '127.0.0.1';

/** Listens on the port for a moment and returns it, or undefined if it is taken. For port 0 the system chooses a free one. */
function tryToListen(port: number, host?: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host }, () => {
      const { port: chosen } = server.address() as AddressInfo;
      server.close(() => resolve(chosen));
    });
  });
}

/** True if no process listens on the port, on the loopback address or on all addresses. */
export async function isFree(port: number): Promise<boolean> {
  return (await tryToListen(port)) !== undefined && (await tryToListen(port, LOOPBACK)) !== undefined;
}

/** A free port, for processes that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  const port = await tryToListen(0, LOOPBACK);
  if (port === undefined) throw new Error('No free port on the loopback address.');
  return port;
}
