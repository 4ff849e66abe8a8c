// What operators and accountants wait for: the search by each kind of key on a large platform, and a long statement as PDF.
import pg from 'pg';
import { alternating, markdownTable, median, timed } from './frame.mjs';
import { residentMegabytes } from './support/usage.mjs';

const MAX_SEARCH_MS = 50;
const MAX_PDF_MS = 3000;
const MAX_PDF_MB = 50;
const MOVEMENTS = 1000;
const DAY_MS = 86_400_000;
const ROUNDS = 11;
const WARM_UPS = 5;
const SAMPLE_INTERVAL_MS = 20;

export const title =
  'GET /api/admin/search by each kind of key, complete and its first ten characters, with an admin who may read everything; a statement of about 1,000 movements as PDF, read by its user.';

/** One key of each kind, taken from the middle of its table. */
const KEYS = {
  'e-mail address': 'select email as key from platform_user',
  'id of a user': 'select id as key from platform_user',
  'id of a deposit': 'select id as key from deposit',
  'hash of a deposit': 'select tx_hash as key from deposit where tx_hash is not null',
  'id of a withdrawal': 'select id as key from withdrawal',
  'address of a withdrawal': 'select to_address as key from withdrawal',
  'hash of a withdrawal': 'select tx_hash as key from withdrawal where tx_hash is not null',
  'id of an investment': 'select id as key from investment',
  'id of a transaction': 'select id as key from user_transaction',
};

async function sampleKeys(url) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const samples = [];
    for (const [kind, sql] of Object.entries(KEYS)) {
      const { rows } = await client.query(
        `with found as (${sql} limit 20000) select key from found order by key offset (select count(*) / 2 from found) limit 1`,
      );
      if (rows.length === 0) throw new Error(`the seed has no ${kind}`);
      samples.push([kind, rows[0].key], [`${kind}, first ten characters`, rows[0].key.slice(0, 10)]);
    }
    return samples;
  } finally {
    await client.end();
  }
}

async function measureSearches(api, token, samples) {
  const measured = [];
  for (const [kind, key] of samples) {
    const path = `/api/admin/search?q=${encodeURIComponent(key)}`;
    const { results } = JSON.parse(await api.get(path, token)).data;
    if (results.length === 0) throw new Error(`${kind}: the search for ${key} has found nothing`);
    const search = () => timed(() => api.get(path, token));
    const { ms } = await alternating({ ms: search }, { rounds: ROUNDS, warmUps: WARM_UPS });
    measured.push({ kind, found: results.length, ms });
  }
  return measured.sort((a, b) => b.ms - a.ms);
}

/** The path of a statement of the user's last movements: as many as MOVEMENTS, and those of the same day. */
async function pathOfStatement(api, token) {
  const yearAgo = new Date(Date.now() - 360 * DAY_MS).toISOString().slice(0, 10);
  const year = await api.get(`/api/user/statement?startDate=${yearAgo}`, token);
  const { movements } = JSON.parse(year).data;
  const first = movements.at(-MOVEMENTS);
  if (!first) throw new Error(`the user has ${movements.length} movements`);
  const startDate = first.date.slice(0, 10);
  const count = movements.filter(({ date }) => date >= startDate).length;
  return { path: `/api/user/statement?format=pdf&startDate=${startDate}`, count };
}

/** Milliseconds until a PDF was read, and by how many MB the process had grown at most by then. */
async function measurePdf(api, token, path) {
  const idle = residentMegabytes(api.pid);
  let peak = idle;
  const sampling = setInterval(() => (peak = Math.max(peak, residentMegabytes(api.pid))), SAMPLE_INTERVAL_MS);
  try {
    const ms = await timed(() => api.get(path, token));
    return { ms, grown: peak - idle };
  } finally {
    clearInterval(sampling);
  }
}

const absolute = (what, figure, most, unit) => ({
  what,
  figure: `${figure.toFixed(1)} ${unit}`,
  baseline: '',
  ratio: '',
  target: `≤ ${most} ${unit}`,
  reached: figure <= most,
});

export async function run(bench) {
  const url = await bench.copyOf(await bench.seeded(bench.large));
  const samples = await sampleKeys(url);
  const api = await bench.api(url);
  const searches = await measureSearches(api, await api.signIn('admin@example.com'), samples);
  const user = await api.signIn('busy@example.org');
  const { path, count } = await pathOfStatement(api, user);
  const pdfs = [];
  for (let round = -1; round < ROUNDS; round++) {
    const measured = await measurePdf(api, user, path);
    if (round >= 0) pdfs.push(measured); // the first one loads the packages and fonts
  }
  await api.stop();
  const medianOf = (field) => median(pdfs.map((pdf) => pdf[field]));
  const statement = `a statement of ${count.toLocaleString('en')} movements as PDF`;
  return {
    rows: [
      absolute(
        `search at ${bench.large.toLocaleString('en')} transactions, the slowest of ${searches.length} keys`,
        searches[0].ms,
        MAX_SEARCH_MS,
        'ms',
      ),
      absolute(statement, medianOf('ms'), MAX_PDF_MS, 'ms'),
      absolute(`${statement}: growth of the process`, medianOf('grown'), MAX_PDF_MB, 'MB'),
    ],
    details: markdownTable(
      ['search by', 'ms', 'found'],
      searches.map(({ kind, ms, found }) => [kind, ms.toFixed(1), found]),
    ),
  };
}
