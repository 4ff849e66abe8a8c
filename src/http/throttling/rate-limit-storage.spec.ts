import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppConfig } from '../../config/app-config.js';
import { RateLimitStorage } from './rate-limit-storage.js';

it('replaces a connection to Redis that does not answer, and counts in the process meanwhile', async () => {
  let counted = false;
  const server = createServer((socket: Socket) =>
    socket.on('data', (data) => {
      const commands = String(data);
      counted ||= /eval/i.test(commands);
      // Also the answer to INFO, after which the client sends counting commands.
      if (!counted) socket.write('+OK\r\n'.repeat(commands.match(/\*\d+\r\n/g)?.length ?? 0));
    }),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const storage = await RateLimitStorage.open(
    new AppConfig({ REDIS_URL: `redis://127.0.0.1:${port}` } as AppConfig),
  );
  try {
    let hits = 0;
    while (!counted) {
      expect((await storage.increment('key', 60_000, 1000)).totalHits).toBe(++hits);
      await sleep(5);
    }
    await once(server, 'connection');
  } finally {
    await storage.onApplicationShutdown();
    server.close();
  }
});
