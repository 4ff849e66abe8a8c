import { readFileSync } from 'node:fs';
import type { AppConfig } from '../../../src/config/app-config.js';
import { Snapshots } from '../../../src/database/snapshots.js';
import { LiabilitiesRepository } from '../../../src/modules/assurance/liabilities/liabilities.repository.js';
import { DayClosingService } from '../../../src/modules/assurance/liabilities/day-closing.service.js';
import { LiabilityProofsService } from '../../../src/modules/assurance/liabilities/liability-proofs.service.js';
import { PastAmountsRepository } from '../../../src/modules/assurance/liabilities/past-amounts.repository.js';
import { TreeBuildingService } from '../../../src/modules/assurance/liabilities/tree-building.service.js';
import { type LedgerFixture, openLedgerFixture } from '../../fixtures/ledger-fixtures.js';
import { logWith, RUNNING } from '../../fixtures/proof-log.js';
import { isValidProof } from '../../fixtures/sum-tree.js';

const USERS = Number(process.env.LIABILITY_USERS ?? 1_000_000);
const MAX_SECONDS = 60;
const MAX_GROWTH_MB = 150; // above the memory of the process before the closing
const MAX_PROOF_MS = 50;
const PROOFS = 200;
const DAY = '2026-03-02';
const MEGABYTE = 1024 * 1024;
/** Inserts rows without the service, since posting would take hours. Each user has 100.00 available. */
const INSERT_USERS = readFileSync('bench/support/many-users.sql', 'utf8');

describe(`The liabilities to ${USERS.toLocaleString('en')} users`, () => {
  let fixture: LedgerFixture;

  beforeAll(async () => {
    fixture = await openLedgerFixture();
    await fixture.dataSource.query(INSERT_USERS.replaceAll(':users', String(USERS)));
  }, 900_000);
  afterAll(() => fixture?.close());

  it(`are closed within ${MAX_SECONDS} s with less than ${MAX_GROWTH_MB} MB more memory, and 99 of 100 proofs are read within ${MAX_PROOF_MS} ms`, async () => {
    const log = logWith(fixture);
    await log.keys.openLog();
    const { dataSource, unitOfWork } = fixture;
    const repository = new LiabilitiesRepository(dataSource);
    const amounts = new PastAmountsRepository();
    const config = { CUSTODY_ADDRESSES: [] as string[] } as AppConfig; // without addresses the chain is not read
    const chain = undefined as never;
    const building = new TreeBuildingService(new Snapshots(dataSource), unitOfWork, amounts, repository);
    const closing = new DayClosingService(
      config,
      log.clock,
      unitOfWork,
      chain,
      building,
      log.sealing,
      repository,
    );
    log.clock.moveTo('2026-03-03T01:00:00.000Z');

    const before = process.memoryUsage().rss;
    let peak = before;
    const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 50);
    const began = performance.now();
    expect(await closing.closeDueDays(RUNNING)).toBe(1); // DAY, on which the log was opened
    const seconds = (performance.now() - began) / 1000;
    clearInterval(sampling);
    const growth = (peak - before) / MEGABYTE;

    const proofs = new LiabilityProofsService(repository, log.proofs);
    const ids = await dataSource.query<{ id: string }[]>(
      'select id from platform_user order by random() limit $1',
      [PROOFS],
    );
    const times: number[] = [];
    for (const { id } of ids) {
      const start = performance.now();
      const { tree, index, leaf, path } = await proofs.getUserLiability(id, DAY, 'USDC');
      times.push(performance.now() - start);
      const total = BigInt(tree.total.toFixed(6).replace('.', ''));
      expect(isValidProof({ ...leaf, index, path, root: tree.root, total })).toBe(true);
    }
    times.sort((a, b) => a - b);
    const median = times[PROOFS / 2] as number;
    const p99 = times[Math.floor(PROOFS * 0.99)] as number;
    process.stdout.write(
      `${USERS} users: closed in ${seconds.toFixed(1)} s with ${growth.toFixed(0)} MB more memory; proofs read in ${median.toFixed(1)} ms (median), ${p99.toFixed(1)} ms (P99)\n`,
    );
    expect(seconds).toBeLessThan(MAX_SECONDS);
    expect(growth).toBeLessThan(MAX_GROWTH_MB);
    expect(p99).toBeLessThan(MAX_PROOF_MS);
  });
});
