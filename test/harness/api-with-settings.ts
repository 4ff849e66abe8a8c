import { createApp } from '../../src/app.setup.js';
import { loadConfig } from '../../src/config/app-config.js';
import { Jobs } from '../../src/jobs/jobs.service.js';
import type { TestPlatform } from './platform.js';

/**
 * Starts the service with other settings on the platform's database and clock; call it with `platform.as(user, url)`. Also ends
 * the platform's own `nav-roll` job, which would publish NAVs with the old settings.
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
