import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { AppConfig } from '../../src/config/app-config.js';
import { AdminDirectory } from '../../src/modules/admins/admin-directory.js';
import { eventually } from './eventually.js';
import type { TestPlatform } from './platform.js';

let lists = 0;

/** Adds an admin to those whom the configuration lists, and waits until the service has seen it. */
export async function listAdmin(
  platform: TestPlatform,
  email: string,
  roles: readonly string[] = ['admin'],
): Promise<void> {
  const file = platform.app.get(AppConfig).ADMINS_FILE;
  const listed = JSON.parse(readFileSync(file, 'utf8')) as object[];
  writeFileSync(file, JSON.stringify([...listed, { email, name: email, roles }]));
  utimesSync(file, new Date(), new Date(Date.now() + ++lists * 1000)); // never the time that was looked at last
  const directory = platform.app.get(AdminDirectory);
  await eventually(async () => {
    if (!directory.byEmail(email)) throw new Error(`${email} is not listed yet`);
  });
}
