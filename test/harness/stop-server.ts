import type { Server } from 'node:http';

/** Closes a server with its open connections; does nothing without one. */
export async function stopServer(server: Server | undefined): Promise<void> {
  if (!server) return;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
