import { appendFileSync, chownSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { postgresUser } from '../../src/sandbox/postgres-binaries.js';
import { startPostgres, type RunningPostgres } from '../../src/sandbox/postgres.js';
import { selfSignedCertificate } from './certificate.js';
import { testFolder } from './test-folder.js';

/** A PostgreSQL server with TLS, whose certificate is its own authority. */
export interface TlsPostgres {
  readonly server: RunningPostgres;
  /** The file for sslrootcert. */
  readonly authorityFile: string;
  remove(): Promise<void>;
}

/** Starts a server with a certificate of `address`. It listens on 127.0.0.1. */
export async function startTlsPostgres(address: string): Promise<TlsPostgres> {
  const dataDir = testFolder('tls');
  const options = { dataDir, durable: false };
  await (await startPostgres(options)).stop(); // creates the cluster
  const cluster = join(dataDir, 'cluster');
  const { certificate, key } = await selfSignedCertificate(address);
  const files = { 'server.crt': certificate, 'server.key': key };
  const user = postgresUser();
  for (const [name, content] of Object.entries(files)) {
    const path = join(cluster, name);
    writeFileSync(path, content, { mode: 0o600 });
    if (user) chownSync(path, user.uid, user.gid);
  }
  appendFileSync(join(cluster, 'postgresql.auto.conf'), '\nssl = on\n');
  const authorityFile = join(dataDir, 'authority.pem');
  writeFileSync(authorityFile, certificate);
  const server = await startPostgres(options);
  return {
    server,
    authorityFile,
    remove: async () => {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
