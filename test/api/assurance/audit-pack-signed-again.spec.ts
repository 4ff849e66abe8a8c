import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyPack } from '../../../client/audit-pack/verify-pack.js';
import { Money } from '../../../src/common/money.js';
import { canonicalJson } from '../../../src/common/canonical-json.js';
import { signCheckpoint } from '../../../src/modules/assurance/proofs/domain/checkpoint.js';
import { HASH_BYTES, leafHash } from '../../../src/modules/assurance/proofs/domain/merkle-tree.js';
import type { SigningKey } from '../../../src/modules/assurance/proofs/domain/signing-key.js';
import { TreeEdge } from '../../../src/modules/assurance/proofs/domain/tiles.js';
import { LogKeysService } from '../../../src/modules/assurance/proofs/log-keys.service.js';
import {
  HISTORY_LAST_CLOSED,
  HISTORY_SETTINGS,
  HISTORY_START,
  makeAuditHistory,
} from '../../fixtures/audit-history.js';
import { downloadPack, runVerifier, signManifestAgain } from '../../fixtures/audit-packs.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { executeWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import { LiabilitySteps } from '../../fixtures/liability-steps.js';
import { sealLog } from '../../fixtures/log-reader.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { testFolder } from '../../harness/test-folder.js';

const LOG_START = '2026-02-20';
const linesOf = (folder: string, name: string) =>
  readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1);
const writeLines = (folder: string, name: string, lines: readonly string[]) =>
  writeFileSync(join(folder, name), lines.map((line) => `${line}\n`).join(''));

// Changed packs are signed again with the key of the log, so that only their content can reveal the change.
describe('The verifier of audit packs', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  let key: SigningKey;
  const packs = new Map<string, string>();

  beforeAll(async () => {
    platform = await startPlatform({ at: HISTORY_START, blockIntervalMs: 0, settings: HISTORY_SETTINGS });
    admin = await platform.given.admin();
    await makeAuditHistory(platform);
    key = platform.app.get(LogKeysService).signingKeys[0] as SigningKey;
    for (const range of [
      { from: '2026-03-01', to: '2026-03-10' },
      { from: LOG_START, to: HISTORY_LAST_CLOSED },
    ])
      packs.set(range.from, await downloadPack(platform, admin.token, range));
  });
  afterAll(() => platform?.stop());

  /** A copy of the pack whose range starts on this day. */
  function packFrom(from: string): string {
    const folder = testFolder('changed-pack');
    cpSync(packs.get(from) as string, folder, { recursive: true });
    return folder;
  }

  async function problemsOf(folder: string, manifest: object = {}): Promise<string[]> {
    signManifestAgain(folder, key, manifest);
    return (await verifyPack(folder)).wrong;
  }

  const newestCheckpoint = (folder: string) =>
    JSON.parse(linesOf(folder, 'checkpoints.jsonl').at(-1) as string);

  /** Appends a leaf to the log of the pack and signs its new checkpoint. Returns the log of the new manifest. */
  function appendLeaf(folder: string, text: string): { size: number; root: string } {
    const hash = leafHash(text);
    appendFileSync(join(folder, 'hashes.bin'), hash);
    const hashes = readFileSync(join(folder, 'hashes.bin'));
    const edge = TreeEdge.open(0, () => undefined);
    for (let at = 0; at < hashes.length; at += HASH_BYTES)
      edge.appendLeafHash(hashes.subarray(at, at + HASH_BYTES));
    const { origin } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    const tree = { size: edge.treeSize, root: edge.root() };
    const log = { size: tree.size, root: tree.root.toString('base64') };
    const checkpoint = signCheckpoint({ origin, ...tree }, [key]);
    const line = canonicalJson({ ...log, at: newestCheckpoint(folder).at, checkpoint });
    appendFileSync(join(folder, 'checkpoints.jsonl'), `${line}\n`);
    return log;
  }

  it.each([
    ['a day of the pack', '2026-03-05', 'other-leaves.jsonl', 'liabilities.jsonl does not have this total'],
    ['a day of the pack', '2026-03-05', 'liabilities.jsonl', 'The log has two totals of 2026-03-05 in USDC'],
    ['an earlier day', '2026-02-25', 'other-leaves.jsonl', 'The log has two totals of 2026-02-25 in USDC'],
    ['a later day', '2026-03-20', 'other-leaves.jsonl', 'The log has two totals of 2026-03-20 in USDC'],
  ])('finds a second total of %s, %s, in %s', async (_, day, file, problem) => {
    const folder = packFrom('2026-03-01');
    const root = Buffer.alloc(HASH_BYTES, 7).toString('base64');
    const leaf = { v: 1, kind: 'liabilities', day, asset: 'USDC', root, total: '1.00', leaves: 1 };
    const log = appendLeaf(folder, canonicalJson(leaf));
    const line = canonicalJson({ leaf, leafIndex: log.size - 1 });
    appendFileSync(join(folder, file), `${line}\n`);
    expect(await problemsOf(folder, { log })).toEqual([
      expect.stringMatching(`^${file}: line ${linesOf(folder, file).length}: ${problem}`),
    ]);
  });

  it('finds that the totals of the last days were removed and their leaves are stated to be of days before the pack', async () => {
    const folder = packFrom('2026-03-01');
    const dayOf = (line: string) => JSON.parse(line).leaf?.day ?? JSON.parse(line).day;
    const removed = linesOf(folder, 'liabilities.jsonl').filter((line) => dayOf(line) > '2026-03-05');
    for (const name of ['liabilities.jsonl', 'assets.jsonl'])
      writeLines(
        folder,
        name,
        linesOf(folder, name).filter((line) => dayOf(line) <= '2026-03-05'),
      );
    // A line names one leaf by `leafIndex`, or a range of leaves by `first` and `last`.
    const firstLeafOf = (line: string) => Number(JSON.parse(line).leafIndex ?? JSON.parse(line).first);
    const stated = removed.map((line) => {
      const index = firstLeafOf(line);
      return canonicalJson({ days: 'before', first: index, last: index });
    });
    const others = [...linesOf(folder, 'other-leaves.jsonl'), ...stated];
    others.sort((a, b) => firstLeafOf(a) - firstLeafOf(b));
    writeLines(folder, 'other-leaves.jsonl', others);
    expect(await problemsOf(folder)).toEqual([
      'other-leaves.jsonl: The totals of the days after 2026-03-05 are missing.',
    ]);
  });

  it('finds an opening balance of a user below zero that no credit shortly after midnight covers', async () => {
    const folder = packFrom('2026-03-01');
    // The first account gets a million more and the second one a million less, so that the sum of all accounts stays the same.
    const changes = ['1000000', '-1000000'];
    const lines = linesOf(folder, 'accounts.jsonl').map((line) => {
      const account = JSON.parse(line);
      if (!account.account.startsWith('user.available/') || account.asset !== 'USDC') return line;
      const change = Money.of(changes.shift() ?? '0');
      const changed = (balance: string) => Money.of(balance).plus(change).toExact();
      return canonicalJson({
        ...account,
        opening: changed(account.opening),
        closing: changed(account.closing),
      });
    });
    writeLines(folder, 'accounts.jsonl', lines);
    expect(await problemsOf(folder)).toContainEqual(
      expect.stringMatching(/^accounts.jsonl: The opening balance of user.available\S+ USDC is negative/),
    );
  });

  it('finds that the values of a strategy begin within the range although users held units of it before', async () => {
    const folder = packFrom('2026-03-01');
    const isKept = (line: string) =>
      JSON.parse(line).strategyId !== 'balanced-10' || JSON.parse(line).day >= '2026-03-06';
    const lines = linesOf(folder, 'navs.jsonl').filter(isKept);
    const first = lines.findIndex((line) => JSON.parse(line).strategyId === 'balanced-10');
    const value = { ...JSON.parse(lines[first] as string), source: 'first', nav: '1.00' };
    writeLines(folder, 'navs.jsonl', lines.with(first, canonicalJson(value)));
    expect(await problemsOf(folder)).toEqual([
      expect.stringContaining('The value of 2026-02-28 is missing.'),
    ]);
  });

  it.each([
    ['the values of all strategies', () => false, `navs.jsonl: The values of aggressive-20 are missing.`],
    [
      'the values of one strategy',
      ({ strategyId }) => strategyId !== 'balanced-10',
      'navs.jsonl: The values of balanced-10 are missing.',
    ],
    [
      'the first values of a strategy',
      ({ strategyId, day }) => strategyId !== 'balanced-10' || day > '2026-03-01',
      'The value of 2026-02-28 is missing.',
    ],
    [
      'the last values of a strategy',
      ({ strategyId, day }) => strategyId !== 'balanced-10' || day < '2026-03-10',
      'The values of balanced-10 end on 2026-03-09, before the last closed day 2026-03-10.',
    ],
  ] as [string, (nav: { strategyId: string; day: string }) => boolean, string][])(
    'finds that %s were removed',
    async (_, isKept, problem) => {
      const folder = packFrom('2026-03-01');
      const lines = linesOf(folder, 'navs.jsonl').filter((line) => isKept(JSON.parse(line)));
      writeLines(folder, 'navs.jsonl', lines);
      expect(await problemsOf(folder)).toEqual([expect.stringContaining(problem)]);
    },
  );

  it.each([
    ['23:57:30.000', []], // a process whose clock is two minutes behind signs leaves of the next day then
    ['23:56:30.000', [expect.stringContaining('is not of a day after 2026-03-10')]],
  ])(
    'accepts a checkpoint with leaves of the next day only if it was signed within three minutes before midnight: %s',
    async (time, problems) => {
      const folder = packFrom('2026-03-01');
      const lines = linesOf(folder, 'checkpoints.jsonl');
      const at = `2026-03-10T${time}Z`;
      const last = canonicalJson({ ...newestCheckpoint(folder), at });
      writeLines(folder, 'checkpoints.jsonl', lines.with(-1, last));
      expect(await problemsOf(folder)).toEqual(problems);
    },
  );

  it('lists the days without totals and the time of the newest checkpoint as not verified', async () => {
    const folder = await downloadPack(platform, admin.token, { from: '2026-02-01', to: '2026-12-31' });
    const { at } = newestCheckpoint(folder);
    const { status, output } = runVerifier(folder);
    expect([status, output.match(/^not verified: .*$/gm)]).toEqual([
      0,
      [
        `not verified: liabilities: the log has no totals of the days before ${LOG_START}`,
        `not verified: liabilities: the log has no totals of the days after ${HISTORY_LAST_CLOSED}`,
        `not verified: transactions after ${at}, when the newest checkpoint was signed`,
      ],
    ]);
    const before = await downloadPack(platform, admin.token, { from: '2026-01-01', to: '2026-01-31' });
    expect(runVerifier(before)).toEqual({
      status: 0,
      output: expect.stringContaining('not verified: liabilities: the log has no total of these days\n'),
    });
  });

  it('verifies the pack in the folder that is its argument', async () => {
    const folder = packFrom('2026-03-01');
    expect(runVerifier(folder, join(process.cwd(), 'dist/audit-pack/verify.mjs'))).toMatchObject({
      status: 0,
    });
    writeFileSync(join(folder, 'verify.mjs'), '');
    const { status, output } = runVerifier(folder, join(process.cwd(), 'dist/audit-pack/verify.mjs'));
    expect([status, output]).toEqual([1, expect.stringContaining('WRONG  verify.mjs: ')]);
  });

  it('finds a transaction that was deleted and is stated to be of an earlier day, if the pack starts with the log', async () => {
    const [{ id, leafIndex }] = await platform.dataSource.query(
      `select transaction_id as id, leaf_index::int as "leafIndex" from proof_leaf
        where transaction_id is not null order by leaf_index desc offset 3 limit 1`,
    );
    await executeWithoutTriggers(
      platform,
      `delete from ledger_entry where transaction_id = '${id}'`,
      `delete from ledger_transaction where id = '${id}'`,
    );
    const folder = await downloadPack(platform, admin.token, { from: LOG_START, to: '2026-03-31' });
    const leaves = { first: leafIndex, last: leafIndex };
    const ofRemoved = canonicalJson({ ...leaves, days: null }); // the platform has no transaction of this leaf
    expect(linesOf(folder, 'other-leaves.jsonl')).toEqual([ofRemoved]);
    for (const [stated, problem] of [
      [{ ...leaves, days: 'before' }, 'although the first transaction of the log is not before it'],
      [{ ...leaves, days: 'before', kind: 'liabilities' }, 'kind is not'],
    ] as const) {
      writeLines(folder, 'other-leaves.jsonl', [canonicalJson(stated)]);
      expect(await problemsOf(folder)).toContainEqual(
        expect.stringMatching(`^other-leaves.jsonl: .*${problem}`),
      );
    }
  });
});

describe('The verifier of audit packs of a new platform', () => {
  it('accepts a pack whose first transaction follows the total of an earlier day', async () => {
    const platform = await startPlatform({ settings: { LOG_SEAL_SECONDS: '3600' } });
    try {
      const steps = new LiabilitySteps(platform);
      await steps.endJobs();
      const firstDay = platform.clock.today();
      await steps.closeDaysUpTo(firstDay);
      await platform.given.user().withBalance('100.00');
      await sealLog(platform);
      const from = platform.clock.today();
      await steps.closeDaysUpTo(from);
      const { token } = await platform.given.admin();
      const folder = await downloadPack(platform, token, { from, to: from });
      expect(linesOf(folder, 'other-leaves.jsonl')[0]).toContain(
        `{"leaf":{"asset":"USDC","day":"${firstDay}"`,
      );
      const { status, output } = runVerifier(folder);
      expect([status, output]).toEqual([0, expect.stringContaining('The audit pack is right.')]);
    } finally {
      await platform.stop();
    }
  });
});
