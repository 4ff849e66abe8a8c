import { hash } from '@node-rs/argon2';
import { readJson, writeJson } from './json-file.js';
import { SAMPLE_ADMINS, SAMPLE_PASSWORD } from './sandbox-settings.js';

/** Writes the sample admins unless the file exists, because the developer may have changed it. */
export async function writeSampleAdmins(file: string): Promise<void> {
  if (readJson(file)) return;
  const passwordHash = await hash(SAMPLE_PASSWORD);
  const now = new Date();
  writeJson(
    file,
    SAMPLE_ADMINS.map((admin) => ({
      ...admin,
      status: 'active',
      passwordHash,
      createdAt: now,
      updatedAt: now,
    })),
  );
}
