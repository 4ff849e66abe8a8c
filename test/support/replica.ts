import { createApp } from '../../src/app.setup.js';
import { AppConfig } from '../../src/config/app-config.js';
import type { TestPlatform } from './platform.js';

/** The same service once more, on the same database, with some settings changed past the checks of start-up. */
export async function startReplica(
  platform: TestPlatform,
  changes: Partial<AppConfig>,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const config = new AppConfig({ ...platform.app.get(AppConfig), ...changes });
  const app = await createApp(config, platform.clock);
  await app.listen(0, '127.0.0.1');
  return { url: await app.getUrl(), stop: () => app.close() };
}
