import { rmSync } from 'node:fs';

export default async function teardown() {
  const { postgres, dataDir } = globalThis.testPostgres;
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
