import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addDays } from '../../../src/common/days.js';
import { AdminInvestmentSteps } from '../../fixtures/admin-investments.js';
import {
  HISTORY_LAST_CLOSED,
  HISTORY_SETTINGS,
  HISTORY_START,
  makeAuditHistory,
} from '../../fixtures/audit-history.js';
import {
  downloadPack,
  PACK_FILES,
  runVerifier,
  unpack,
  writePackByCommand,
  type PackCommand,
} from '../../fixtures/audit-packs.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { executeWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import { ASSETS } from '../../fixtures/liability-steps.js';
import { sealLog } from '../../fixtures/log-reader.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PATH = '/api/admin/audit-pack';
const DAYS_NOT_OVER = 'Days that were not over have no totals of liabilities';

describe('GET /api/admin/audit-pack', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform({ at: HISTORY_START, blockIntervalMs: 0, settings: HISTORY_SETTINGS });
    admin = await platform.given.admin();
    await makeAuditHistory(platform);
  });
  afterAll(() => platform?.stop());

  const linesOf = (folder: string, name: string): any[] =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));

  it('answers a pack with every transaction of the log, which its verifier accepts', async () => {
    await sealLog(platform);
    const folder = await downloadPack(platform, admin.token, { from: '2026-02-20', to: '2026-03-31' });
    const { status, output } = runVerifier(folder);
    expect([status, output]).toEqual([0, expect.stringContaining('right, except for what was not verified')]);
    const [{ transactions, entries, size }] = await platform.dataSource.query(
      `select (select count(*)::int from ledger_transaction) as transactions, (select count(*)::int from ledger_entry) as entries,
              (select size::int from proof_log) as size`,
    );
    const totals = linesOf(folder, 'liabilities.jsonl').length;
    expect(transactions + totals).toBe(size); // each is a leaf of the log
    expect(output).toContain(
      `${transactions} transactions with ${entries} entries are in the log and sum to zero\n`,
    );
    expect(output).not.toMatch(/not verified: (?!.* after )/); // except the time after the last closed day: 31 March is not over
    expect(readFileSync(join(folder, 'other-leaves.jsonl'), 'utf8')).toBe('');
    for (const name of PACK_FILES.filter((file) => file !== 'other-leaves.jsonl'))
      expect([name, readFileSync(join(folder, name)).length > 0]).toEqual([name, true]);
  });

  it('answers the liabilities of each closed day, and the assets with their coverage', async () => {
    const folder = await downloadPack(platform, admin.token, { from: '2026-03-09', to: '2026-03-31' });
    const { status, output } = runVerifier(folder);
    const closedDays = Array.from({ length: 22 }, (_, index) => addDays('2026-03-09', index));
    const totals = linesOf(folder, 'liabilities.jsonl').map(({ leaf }) => leaf);
    expect([status, closedDays.at(-1)]).toEqual([0, HISTORY_LAST_CLOSED]);
    expect([...new Set(totals.map(({ day }) => day))]).toEqual(closedDays);
    expect(new Set(totals.map(({ asset }) => asset))).toEqual(new Set(['USDC', 'USDT', 'ETH']));
    expect(output).toContain(`${totals.length} totals of liabilities of 22 days are in the log`);
    expect(output).toContain('the assets of 22 days, as the platform states them, with their coverage');
    const answered = [];
    for (const day of closedDays) answered.push((await platform.as(null).get(`${ASSETS}/${day}`)).data);
    expect(linesOf(folder, 'assets.jsonl')).toEqual(answered);
  });

  it('answers a pack of a part of the history with opening balances, and its verifier still computes the root of the whole log', async () => {
    const folder = await downloadPack(platform, admin.token, { from: '2026-03-01', to: '2026-03-10' });
    const { status, output } = runVerifier(folder);
    expect([status, output]).toEqual([0, expect.stringContaining('right, except for what was not verified')]);
    const openings = linesOf(folder, 'accounts.jsonl').filter(({ opening }) => opening !== '0.00').length;
    expect(openings).toBeGreaterThan(5);
    expect(output).toMatch(/^not verified: leaves 0-\d+.*: of days before 2026-03-01$/m);
    expect(output).toMatch(/^not verified: leaves \d+.*: of days after 2026-03-10$/m);
    expect(output).toContain(`not verified: the opening balances of ${openings} accounts\n`);
    expect(readFileSync(join(folder, 'journal.hledger'), 'utf8')).toMatch(
      /^2026-03-01 \* Opening balances\n/,
    );
    const days = linesOf(folder, 'transactions.jsonl').map(({ leaf }) => leaf.effectiveAt.slice(0, 10));
    expect([days[0] >= '2026-03-01', days.at(-1) <= '2026-03-10']).toEqual([true, true]);
  });

  it('answers a pack of days without transactions', async () => {
    const folder = await downloadPack(platform, admin.token, { from: '2026-01-01', to: '2026-01-31' });
    expect(runVerifier(folder)).toMatchObject({ status: 0 });
  });

  it('answers the records up to now if the range ends in the future, and states that days which are not over have no liabilities', async () => {
    const folder = await downloadPack(platform, admin.token, { from: '2026-02-20', to: '2026-12-31' });
    const { status, output } = runVerifier(folder);
    expect([status, output]).toEqual([0, expect.stringContaining('right, except for what was not verified')]);
    const upToNow = await downloadPack(platform, admin.token, { from: '2026-02-20', to: '2026-03-31' });
    for (const name of ['transactions.jsonl', 'liabilities.jsonl', 'accounts.jsonl'])
      expect(readFileSync(join(folder, name), 'utf8')).toBe(readFileSync(join(upToNow, name), 'utf8'));
    for (const pack of [folder, upToNow])
      expect(readFileSync(join(pack, 'README.md'), 'utf8')).toContain(DAYS_NOT_OVER);
    const past = await downloadPack(platform, admin.token, { from: '2026-02-20', to: '2026-03-30' });
    expect(readFileSync(join(past, 'README.md'), 'utf8')).not.toContain(DAYS_NOT_OVER);
  });

  it('answers a pack whose verifier accepts added files and lists them as not verified', async () => {
    const folder = await downloadPack(platform, admin.token, { from: '2026-03-01', to: '2026-03-10' });
    writeFileSync(join(folder, 'transactions-corrected.jsonl'), '{}\n');
    writeFileSync(join(folder, 'a\nright  b'), ''); // unquoted, it would print a line that looks like a result
    mkdirSync(join(folder, 'notes'));
    const { status, output } = runVerifier(folder);
    expect(status).toBe(0);
    for (const name of ['"transactions-corrected.jsonl"', '"a\\nright  b"', '"notes"'])
      expect(output).toContain(`not verified: the file ${name}, which the manifest does not list\n`);
    expect(output.match(/does not list/g)).toHaveLength(3);
  });

  it('answers a pack in which the grep command of docs/proofs.md selects one line for each checkpoint', async () => {
    const folder = await downloadPack(platform, admin.token, { from: '2026-02-20', to: '2026-03-31' });
    const [, text = ''] =
      /grep '([^']+)' audit\/checkpoints\.jsonl/.exec(readFileSync('docs/proofs.md', 'utf8')) ?? [];
    expect(text).toContain('SIZE');
    const lines = readFileSync(join(folder, 'checkpoints.jsonl'), 'utf8').split('\n').slice(0, -1);
    for (const line of lines) {
      const searched = text.replace('SIZE', String(JSON.parse(line).size));
      expect(lines.filter((candidate) => candidate.includes(searched))).toEqual([line]);
    }
  });

  it('leaves out transactions that are not in the log yet', async () => {
    const { ann } = await new AdminInvestmentSteps(platform, admin).createForNewUser('10.00');
    const folder = await downloadPack(platform, admin.token, { from: '2026-02-20', to: '2026-03-31' });
    expect(runVerifier(folder).status).toBe(0);
    expect(readFileSync(join(folder, 'transactions.jsonl'), 'utf8')).not.toContain(ann.id);
  });

  it('records the export in the audit log', async () => {
    const exported = { from: '2026-02-21', to: '2026-03-30' };
    await downloadPack(platform, admin.token, exported);
    const [entry] = await platform.dataSource.query(
      `select actor, after from audit_entry where action = 'audit-pack.export'
        order by recorded_at desc limit 1`,
    );
    expect(entry).toEqual({ actor: admin.email, after: exported });
  });

  describe('and the command audit-pack, which', () => {
    const range = { from: '2026-02-25', to: '2026-03-20' };
    const write = (changes: Partial<PackCommand> = {}) =>
      writePackByCommand(platform.env, { ...range, ...changes });

    it('writes the same records as the route', async () => {
      const written = unpack(await write(), 'audit-pack-2026-02-25-2026-03-20');
      expect(runVerifier(written)).toMatchObject({ status: 0 });
      const answered = await downloadPack(platform, admin.token, range);
      // The manifests have different times.
      for (const name of PACK_FILES.filter((file) => !file.startsWith('manifest'))) {
        const isEqual = readFileSync(join(written, name)).equals(readFileSync(join(answered, name)));
        expect([name, isEqual]).toEqual([name, true]);
      }
    });

    it('accepts an end in the future', async () => {
      const written = unpack(await write({ to: '2999-12-31' }), 'audit-pack-2026-02-25-2999-12-31');
      expect(runVerifier(written)).toMatchObject({ status: 0 });
      expect(readFileSync(join(written, 'README.md'), 'utf8')).toContain(DAYS_NOT_OVER);
    });

    it.each([
      [
        'a signing key that has signed no checkpoint of the log',
        { signingKey: Buffer.alloc(32, 9).toString('base64') },
        'has never signed this log',
      ],
      ['a start that is not a day', { from: '2026-02-30' }, 'is not a day'],
      ['a start after the end', { from: '2026-03-21' }, 'must not be after'],
    ])('refuses %s', async (_reason, changes, message) => {
      await expect(write(changes)).rejects.toThrow(message);
    });
  });

  it.each([
    ['whose start is after its end', 'from=2026-03-05&to=2026-03-04'],
    ['that starts after today', 'from=2999-01-01'],
    ['that starts after today', 'from=2026-04-01&to=2026-12-31'],
    ['of more than ten years', 'to=2999-01-01'],
    ['of more than ten years', 'from=2016-01-01'],
    ['with text that is not a day', 'from=yesterday'],
    ['with text that is not a day', 'from=2026-02-30&to=2026-03-04'],
  ])('rejects a range %s with INVALID_DATE_RANGE: %s', async (_reason, query) => {
    expect(await platform.as(admin).get(`${PATH}?${query}`)).toMatchObject({
      status: 400,
      code: 'INVALID_DATE_RANGE',
    });
  });

  it('names startDate and endDate in the details of a wrong range, whatever their names in the request', async () => {
    const detailsOf = async (query: string) =>
      (await platform.as(admin).get(`${PATH}?${query}`)).body.error.details;
    expect(await detailsOf('from=2026-03-05&to=2026-03-04')).toMatchObject({
      fields: [{ field: 'startDate' }],
      startDate: '2026-03-05',
      endDate: '2026-03-04',
    });
    expect(await detailsOf('to=2999-01-01')).toMatchObject({ fields: [{ field: 'startDate' }] });
  });

  it('rejects admins without the permission, users and anonymous callers', async () => {
    expect((await platform.as(await platform.given.admin('support')).get(PATH)).code).toBe(
      'PERMISSION_DENIED',
    );
    expect((await platform.as(await platform.given.user()).get(PATH)).code).toBe('ADMIN_REQUIRED');
    expect((await platform.as(null).get(PATH)).code).toBe('TOKEN_MISSING');
  });

  describe('after rows of a ledger transaction were deleted without triggers', () => {
    const ID_COLUMNS = {
      ledger_entry: 'transaction_id',
      ledger_transaction: 'id',
      proof_leaf: 'transaction_id',
    };
    type Table = keyof typeof ID_COLUMNS;
    let transactionId: string;
    let leafIndex: number;

    const rowsOf = (table: Table) => `from ${table} where ${ID_COLUMNS[table]} = '${transactionId}'`;
    const deleteRows = (...tables: Table[]) =>
      executeWithoutTriggers(platform, ...tables.map((table) => `delete ${rowsOf(table)}`));

    beforeAll(async () => {
      await platform.given.user().withBalance('77.00');
      await sealLog(platform);
      [{ transactionId, leafIndex }] = await platform.dataSource.query(
        `select transaction_id as "transactionId", leaf_index::int as "leafIndex" from proof_leaf
          where transaction_id is not null order by leaf_index desc limit 1`,
      );
      for (const table of Object.keys(ID_COLUMNS) as Table[])
        await platform.dataSource.query(`create table copy_of_${table} as select * ${rowsOf(table)}`);
    });
    afterEach(() =>
      executeWithoutTriggers(
        platform,
        ...(Object.keys(ID_COLUMNS) as Table[]).flatMap((table) => [
          `delete ${rowsOf(table)}`,
          `insert into ${table} overriding system value select * from copy_of_${table}`,
        ]),
      ),
    );

    const verifyPackFrom = async (from: string) => {
      const { status, output } = runVerifier(
        await downloadPack(platform, admin.token, { from, to: '2026-03-31' }),
      );
      return { status, wrong: output.split('\n').filter((line) => line.startsWith('WRONG')) };
    };

    it('answers a pack that its verifier rejects if only the entries were deleted', async () => {
      await deleteRows('ledger_entry');
      const { status, wrong } = await verifyPackFrom('2026-02-20');
      expect([status, wrong]).toEqual([
        1,
        expect.arrayContaining([
          expect.stringMatching(`transactions.jsonl: line \\d+: The leaf is not the one .*${leafIndex}`),
        ]),
      ]);
    });

    it.each(['2026-02-20', '2026-03-01'])(
      'answers a pack from %s whose verifier names the leaf of a transaction that was deleted',
      async (from) => {
        await deleteRows('ledger_entry', 'ledger_transaction');
        expect(await verifyPackFrom(from)).toEqual({
          status: 1,
          wrong: [
            expect.stringMatching(
              `other-leaves.jsonl: line \\d+: leaf ${leafIndex} of the log is of a transaction that was removed`,
            ),
          ],
        });
      },
    );

    it('answers a pack that its verifier rejects if the row of the leaf was deleted, too [SEC-187]', async () => {
      await deleteRows('ledger_entry', 'ledger_transaction', 'proof_leaf');
      for (const from of ['2026-02-20', '2026-03-01'])
        expect(await verifyPackFrom(from)).toEqual({
          status: 1,
          wrong: [expect.stringContaining(`hashes.bin: No file of the pack names leaf ${leafIndex}:`)],
        });
    });
  });
});
