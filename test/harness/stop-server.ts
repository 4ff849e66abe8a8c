import type { Server } from 'node:http';

/** Closes a server and its open connections. Does nothing if the server is undefined. */
export async function stopServer(server: Server | undefined): Promise<void> {
  if (!server) return;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
