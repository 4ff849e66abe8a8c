// Postings through the unit of work, with and without a process that seals them every second.
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { openDatabase } from '../../dist/database/data-source.js';
import { DomainEvents } from '../../dist/events/domain-events.js';
import { PREPARING } from '../../dist/database/prepared.js';
import { UnitOfWork } from '../../dist/database/unit-of-work.js';
import { Money } from '../../dist/common/money.js';
import { depositCompleted } from '../../dist/modules/core/ledger/domain/postings.js';
import { LedgerRepository } from '../../dist/modules/core/ledger/ledger.repository.js';
import { LedgerService } from '../../dist/modules/core/ledger/ledger.service.js';
import { Meters } from '../../dist/observability/meters.js';
import { alternating } from '../frame.mjs';
import { startDurable } from './durable.mjs';
import { perSecond } from './load.mjs';

const CLIENTS = 16;
const USERS = 1_000;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10); // several runs of the sealing job

const users = Array.from({ length: USERS }, () => randomUUID());
const posting = () =>
  depositCompleted({
    depositId: randomUUID(),
    userId: users[Math.floor(Math.random() * USERS)],
    network: 'ERC20',
    asset: 'USDC',
    received: Money.of('1.25'),
    credited: Money.of('1.25'),
    at: new Date(),
  });

/**
 * Measures postings alone and beside sealing. Returns the medians of postings per second (`figures`), and for all rounds
 * `beside` the CPU milliseconds of the sealing process and the number of postings. `sealingProcess`: the program.
 */
export async function measurePostingsBesideSealing(sealingProcess) {
  const postgres = await startDurable();
  const url = await postgres.migrated('postings');
  const options = { type: 'postgres', url, poolSize: CLIENTS, extra: PREPARING };
  const dataSource = await openDatabase(options, () => undefined, { migrate: false });
  const child = fork(sealingProcess, ['job'], { env: { ...process.env, DATABASE_URL: url } });
  try {
    await once(child, 'message');
    /**
     * Sends `start` or `stop` to the sealing process, which first seals all that is left, and after `start` goes on sealing until `stop`.
     * Returns its CPU milliseconds so far.
     */
    const sendToSealing = async (message) => {
      child.send(message);
      const [{ user, system }] = await once(child, 'message');
      return (user + system) / 1000;
    };
    const unitOfWork = new UnitOfWork(dataSource);
    const ledger = new LedgerService(new LedgerRepository(), new Meters(), new DomainEvents());
    const load = () =>
      perSecond({ clients: CLIENTS, seconds: SECONDS }, () =>
        unitOfWork.runInTransaction((tx) => ledger.post(tx, posting())),
      );
    let sealingMs = 0;
    let postings = 0;
    const figures = await alternating({
      async alone() {
        const rate = await load();
        await sendToSealing('stop'); // the transactions of the round are sealed before the next one
        return rate;
      },
      async beside() {
        const before = await sendToSealing('start');
        const rate = await load();
        sealingMs += (await sendToSealing('stop')) - before;
        postings += rate * SECONDS;
        return rate;
      },
    });
    return { figures, sealingMs, postings };
  } finally {
    child.disconnect();
    await dataSource.destroy();
    await postgres.stop();
  }
}
