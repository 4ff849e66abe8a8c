// A child process of against.mjs. Its working directory is the checkout BENCH_AGAINST, whose own bench it loads, because the
// code, tables and seed of that checkout may differ.
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import 'reflect-metadata';

/** Imports a file of the other checkout: its path is relative to the working directory. */
const load = (file) => import(pathToFileURL(resolve(file)));
const ended = once(process, 'disconnect');

const MEASURES = {
  /** Answers each message with the postings per second through the unit of work. */
  async postings() {
    const { parts } = await load('bench/postings.mjs');
    await parts(async ({ code }) => {
      process.on('message', async () => process.send(await code()));
      process.send('ready');
      await ended;
    });
  },
  /** Starts the API on a copy of the seeded database, and sends its URL and the tokens of a user and an admin. */
  async lists() {
    // A separate folder, since a bench deletes the folders of other seeds and migrations.
    process.env.BENCH_DATA = `${process.env.BENCH_DATA ?? join(tmpdir(), 'platform-bench')}-against`;
    const { openBench } = await load('bench/support/bench.mjs');
    const bench = await openBench();
    const api = await bench.api(await bench.copyOf(await bench.seeded(bench.large)));
    const [user, admin] = [await api.signIn('busy@example.org'), await api.signIn('admin@example.com')];
    process.send({ url: api.url, user, admin });
    await ended;
    await bench.close();
  },
};

await MEASURES[process.argv[2]]();
process.exit(0);
