import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp } from '../../src/app.setup.js';
import { AppConfig } from '../../src/config/app-config.js';
import type { TestPlatform } from './platform.js';

/**
 * Starts a second instance of the service on the platform's database, with configuration changes that are not validated.
 * Resolves with its address; the instance stops with the platform.
 */
export async function startReplica(
  platform: TestPlatform,
  changes: Partial<AppConfig> = {},
): Promise<string> {
  const app = await startReplicaWithoutPort(platform, changes);
  await app.listen(0, '127.0.0.1');
  return app.getUrl();
}

/** Starts a second instance that runs background jobs but serves no requests. */
export async function startReplicaWithoutPort(
  platform: TestPlatform,
  changes: Partial<AppConfig> = {},
): Promise<NestExpressApplication> {
  const config = new AppConfig({ ...platform.app.get(AppConfig), ...changes });
  const app = await createApp(config, platform.clock);
  platform.beforeStop(() => app.close());
  await app.init();
  platform.watchEvents(app);
  return app;
}
