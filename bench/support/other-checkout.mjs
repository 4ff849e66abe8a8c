// Runs in the folder of another checkout and uses its bench, because its code, tables and seed may differ.
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import 'reflect-metadata';

const load = (file) => import(pathToFileURL(resolve(file)));
const ended = once(process, 'disconnect');

const PARTS = {
  /** Answers each message with the postings per second through the unit of work. */
  async postings() {
    const { parts } = await load('bench/postings.mjs');
    await parts(async ({ code }) => {
      process.on('message', async () => process.send(await code()));
      process.send('ready');
      await ended;
    });
  },
  /** Seeds a database, starts the API, and sends its URL and the tokens of a user and an admin. */
  async lists() {
    // A folder of its own, since a bench removes the folders of other seeds.
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

await PARTS[process.argv[2]]();
process.exit(0);
