import { createApp } from '../../src/app.setup.js';
import { loadConfig } from '../../src/config/app-config.js';
import { Jobs } from '../../src/jobs/jobs.service.js';
import type { TestPlatform } from './platform.js';

/**
 * The service on the platform's database and clock, with other settings: call it with `platform.as(who, url)`. The
 * platform itself rolls no day any more unless it is asked something: it would do so by the old settings.
 */
export async function startApiWithSettings(
  platform: TestPlatform,
  settings: Record<string, string>,
): Promise<{ url: string; stop: () => Promise<void> }> {
  await platform.app.get(Jobs).get('nav-roll').end();
  const app = await createApp(loadConfig({ ...platform.env, ...settings }), platform.clock);
  await app.listen(0, '127.0.0.1');
  return { url: await app.getUrl(), stop: () => app.close() };
}
