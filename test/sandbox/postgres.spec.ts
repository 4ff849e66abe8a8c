import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../src/sandbox/postgres.js';
import { testFolder } from '../harness/test-folder.js';

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(text)).rows as unknown[];
  } finally {
    await client.end();
  }
}

describe('The PostgreSQL server of the sandbox', () => {
  let dataDir: string;
  const start = () => startPostgres({ dataDir, durable: false });
  beforeAll(() => {
    dataDir = testFolder('sandbox-postgres');
  });
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it('keeps its data after a restart and permits 200 connections', async () => {
    const first = await start();
    await query(first.url('platform'), 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    await expect(query(first.url('platform'), 'SELECT 1')).rejects.toThrow();

    const second = await start();
    expect(await query(second.url('platform'), 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    expect(await query(second.url('platform'), 'SHOW max_connections')).toEqual([{ max_connections: '200' }]);
    await second.stop();
  });

  it('starts despite a stale pid file whose process id belongs to another process', async () => {
    const pidFile = join(dataDir, 'cluster', 'postmaster.pid');
    const first = await start();
    const stalePidFile = readFileSync(pidFile, 'utf8').replace(/^\d+/, String(process.pid));
    await first.stop();
    writeFileSync(pidFile, stalePidFile);
    const second = await start();
    expect(await query(second.url('platform'), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await second.stop();
  });

  it('ends an orphaned server of the same data folder when it starts', async () => {
    const orphan = await start();
    await query(orphan.url('platform'), 'CREATE TABLE written AS SELECT 7 AS answer');
    const next = await start();
    await orphan.exited;
    expect(await query(next.url('platform'), 'SELECT answer FROM written')).toEqual([{ answer: 7 }]);
    await next.stop();
  });
});
