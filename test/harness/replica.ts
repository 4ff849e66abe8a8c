import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp } from '../../src/app.setup.js';
import { AppConfig } from '../../src/config/app-config.js';
import type { TestPlatform } from './platform.js';

/**
 * The same service once more, on the same database, with some settings changed past the checks of start-up. Resolves
 * with its address; it ends with the platform.
 */
export async function startReplica(platform: TestPlatform, changes: Partial<AppConfig>): Promise<string> {
  const app = await startReplicaWithoutPort(platform, changes);
  await app.listen(0, '127.0.0.1');
  return app.getUrl();
}

/** The same, for what it does by itself: nobody can call it. */
export async function startReplicaWithoutPort(
  platform: TestPlatform,
  changes: Partial<AppConfig> = {},
): Promise<NestExpressApplication> {
  const config = new AppConfig({ ...platform.app.get(AppConfig), ...changes });
  const app = await createApp(config, platform.clock);
  platform.beforeStop(() => app.close());
  return app.init();
}
