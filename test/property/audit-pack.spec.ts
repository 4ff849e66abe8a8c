import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyPack } from '../../client/audit-pack/verify-pack.js';
import { canonicalJson } from '../../src/common/canonical-json.js';
import type { SigningKey } from '../../src/modules/assurance/proofs/domain/signing-key.js';
import { LogKeysService } from '../../src/modules/assurance/proofs/log-keys.service.js';
import {
  HISTORY_LAST_CLOSED,
  HISTORY_SETTINGS,
  HISTORY_START,
  makeAuditHistory,
} from '../fixtures/audit-history.js';
import { downloadPack, PACK_FILES, signManifestAgain } from '../fixtures/audit-packs.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { repetitions } from '../harness/repetitions.js';
import { SEED, SeededRandom } from '../harness/seeded-random.js';

const FLIPS_PER_FILE = repetitions(24, 12);
const FILES_OF_LINES = PACK_FILES.filter((name) => name.endsWith('.jsonl') || name === 'journal.hledger');

/** Changes of a file at the line `at`. `exchanged` returns the same array if all later lines are equal to that line. */
const LINE_CHANGES: Record<string, (lines: string[], at: number) => string[]> = {
  removed: (lines, at) => lines.toSpliced(at, 1),
  repeated: (lines, at) => lines.toSpliced(at, 0, lines[at] as string),
  exchanged: (lines, at) => {
    const other = lines.findIndex((line, index) => index > at && line !== lines[at]);
    if (other < 0) return lines;
    return lines.with(at, lines[other] as string).with(other, lines[at] as string);
  },
};

describe(`The verifier of audit packs (SEED=${SEED})`, () => {
  let platform: TestPlatform;
  let key: SigningKey;
  let random: SeededRandom;
  /** The folder of a pack whose first day is within the history, so that the pack has opening balances. */
  let folder: string;

  beforeAll(async () => {
    platform = await startPlatform({ at: HISTORY_START, blockIntervalMs: 0, settings: HISTORY_SETTINGS });
    await makeAuditHistory(platform);
    const { token } = await platform.given.admin();
    folder = await downloadPack(platform, token, { from: '2026-02-24', to: HISTORY_LAST_CLOSED });
    key = platform.app.get(LogKeysService).signingKeys[0] as SigningKey;
  });
  beforeEach(() => (random = new SeededRandom(SEED)));
  afterAll(() => platform?.stop());

  /** Returns the problems of the pack while one file has another content, and restores the file. */
  async function problemsWith(name: string, content: Buffer): Promise<string> {
    return withChangedFiles([name], () => writeFileSync(join(folder, name), content));
  }

  /** As `problemsWith`, after the key of the log has signed a manifest of the changed file. */
  async function problemsWithNewManifest(name: string, content: Buffer): Promise<string> {
    return withChangedFiles([name, 'manifest.json', 'manifest.sig'], () => {
      writeFileSync(join(folder, name), content);
      signManifestAgain(folder, key);
    });
  }

  async function withChangedFiles(names: string[], change: () => void): Promise<string> {
    const contents = names.map((name) => [name, contentOf(name)] as const);
    try {
      change();
      return (await verifyPack(folder)).wrong.join('\n');
    } finally {
      for (const [name, content] of contents) writeFileSync(join(folder, name), content);
    }
  }

  const contentOf = (name: string) => readFileSync(join(folder, name));
  const linesOf = (name: string) => contentOf(name).toString().split('\n').slice(0, -1);
  const contentFrom = (lines: readonly string[]) => Buffer.from(lines.map((line) => `${line}\n`).join(''));

  it('reports no problem in an unchanged pack', async () => {
    expect((await verifyPack(folder)).wrong).toEqual([]);
  });

  it.each(PACK_FILES)('names the file if a single bit of %s was changed [SEC-188]', async (name) => {
    const content = contentOf(name);
    for (let flip = 0; flip < FLIPS_PER_FILE; flip++) {
      const at = random.integer(0, content.length - 1);
      const bit = random.integer(0, 7);
      const changed = Buffer.from(content);
      changed[at] = (changed[at] as number) ^ (1 << bit);
      expect([at, bit, await problemsWith(name, changed)]).toEqual([at, bit, expect.stringContaining(name)]);
    }
  });

  it.each(
    FILES_OF_LINES.flatMap((name) => Object.keys(LINE_CHANGES).map((change) => [change, name] as const)),
  )('names the file after a line was %s in %s', async (change, name) => {
    const lines = linesOf(name);
    for (let time = 0; time < 3; time++) {
      const changed = LINE_CHANGES[change]?.(lines, random.integer(0, lines.length - 1)) as string[];
      if (changed === lines) continue;
      const problems = await problemsWith(name, contentFrom(changed));
      expect(problems).toContain(name);
    }
  });

  // The signature covers every file. These contents are also bound to the log or to each other, so that a manifest that was
  // signed again does not hide a change.
  it.each(
    [
      'transactions.jsonl',
      'accounts.jsonl',
      'navs.jsonl',
      'liabilities.jsonl',
      'other-leaves.jsonl',
      'assets.jsonl',
      'journal.hledger',
    ].flatMap((name) => Object.keys(LINE_CHANGES).map((change) => [change, name] as const)),
  )(
    'reports a change even if the key of the log signed the manifest again: a line was %s in %s [SEC-189]',
    async (change, name) => {
      const lines = linesOf(name);
      for (let time = 0; time < 12; time++) {
        const at = random.integer(0, lines.length - 1);
        const changed = LINE_CHANGES[change]?.(lines, at) as string[];
        if (changed === lines) continue;
        const problems = await problemsWithNewManifest(name, contentFrom(changed));
        expect([at, lines[at], problems === '']).toEqual([at, lines[at], false]);
      }
    },
  );

  it.each([
    'transactions.jsonl',
    'liabilities.jsonl',
    'other-leaves.jsonl',
    'hashes.bin',
    'journal.hledger',
    'checkpoints.jsonl',
  ])(
    'reports a change even if the key of the log signed the manifest again: a digit (in hashes.bin: a bit) of %s was changed',
    async (name) => {
      const content = contentOf(name);
      const canChange = (byte: number) => name === 'hashes.bin' || (byte >= 0x30 && byte <= 0x39); // a digit
      const otherDigit = (byte: number) => (byte === 0x31 ? 0x32 : 0x31); // 1 becomes 2, any other digit 1
      for (let time = 0; time < FLIPS_PER_FILE; time++) {
        const changed = Buffer.from(content);
        let at = random.integer(0, content.length - 1);
        while (!canChange(content[at] as number)) at = random.integer(0, content.length - 1);
        const byte = content[at] as number;
        changed[at] = name === 'hashes.bin' ? byte ^ 1 : otherDigit(byte);
        const text = content.subarray(Math.max(0, at - 60), at + 20).toString();
        // The time at which a checkpoint was signed is not part of the signed note.
        const isInTime = /"at":"[^"]*$/.test(content.subarray(0, at).toString());
        if (name === 'checkpoints.jsonl' && isInTime) continue;
        expect([text, (await problemsWithNewManifest(name, changed)) === '']).toEqual([text, false]);
      }
    },
  );

  it('names the line of a changed net asset value even if the key of the log signed the manifest again', async () => {
    const lines = linesOf('navs.jsonl');
    const at = lines.findIndex((line) => line.includes('"day":"2026-03-10"'));
    const nav = JSON.parse(lines[at] as string);
    const changed = lines.with(
      at,
      JSON.stringify(
        { ...nav, nav: nav.nav.replace(/\d$/, (digit: string) => (digit === '1' ? '2' : '1')) },
        Object.keys(nav).sort(),
      ),
    );
    const problems = await problemsWithNewManifest('navs.jsonl', contentFrom(changed));
    expect(problems).toContain(`navs.jsonl: line ${at + 1}: The value of the day before and the rate give`);
  });

  it.each(['amount', 'assets', 'liabilities', 'coverage'])(
    'reports a change even if the key of the log signed the manifest again: a digit of %s in assets.jsonl was changed',
    async (member) => {
      const lines = linesOf('assets.jsonl');
      const at = random.integer(0, lines.length - 1);
      const changed = (lines[at] as string).replace(
        new RegExp(`("${member}":"-?\\d*)(\\d)\\.`),
        (_, before: string, digit: string) => `${before}${digit === '1' ? '2' : '1'}.`,
      );
      expect(changed).not.toBe(lines[at]);
      const problems = await problemsWithNewManifest('assets.jsonl', contentFrom(lines.with(at, changed)));
      expect(problems).toContain(`assets.jsonl: line ${at + 1}: `);
    },
  );

  it.each([
    ['other-leaves.jsonl', '"days":"before"', '"days":"after"', 'is not of a day after'],
    ['other-leaves.jsonl', '"days":"before"', '"days":null', 'is of a transaction that was removed'],
    ['journal.hledger', /    liabilities:user/, '    equity:user', 'is not one of the equity'],
    ['navs.jsonl', /"day":"2026-\d\d/, '"day":"2026-00', 'day is not a day'],
    ['audit.jsonl', /"at":"2026-\d\d/, '"at":"2026-13', 'at is not an instant'],
    ['assets.jsonl', /"totals":\[\{/, '"totals":[null,{', 'totals is not a list of objects'],
    ['liabilities.jsonl', /"leaf":\{[^}]*\}/, '"leaf":null', 'The leaf is not the one'],
    ['transactions.jsonl', /"entries":\[/, '"entries":[null,', 'The leaf is not the one'],
  ] as const)(
    'reports a change even if the key of the log signed the manifest again: %s, %s replaced by %s',
    async (name, before, after, problem) => {
      const text = contentOf(name).toString();
      const changed = text.replace(before, after);
      expect(changed).not.toBe(text);
      const problems = await problemsWithNewManifest(name, Buffer.from(changed));
      expect(problems).toMatch(new RegExp(`^${name}: line \\d+: .*${problem}`, 'm'));
    },
  );

  it('names the manifest if it lists null as a file, or has a day that does not exist', async () => {
    const manifest = JSON.parse(contentOf('manifest.json').toString());
    const changes = [
      { files: [null, ...manifest.files.slice(1)] },
      { from: '2026-02-30' },
      { to: '2026-00-01' },
    ];
    for (const change of changes) {
      const content = canonicalJson({ ...manifest, ...change });
      expect(await problemsWith('manifest.json', Buffer.from(content))).toContain('manifest.json: ');
    }
  });

  it('names only the file of the checkpoints if a checkpoint is wrong', async () => {
    const lines = linesOf('checkpoints.jsonl');
    const changed = lines.with(0, (lines[0] as string).replace(/"size":\d/, '"size":9'));
    const problems = await problemsWithNewManifest('checkpoints.jsonl', contentFrom(changed));
    expect(problems).toMatch(/^checkpoints\.jsonl: line 1: .*$/);
  });

  it.each(PACK_FILES)('names the file if %s is empty', async (name) => {
    const content = contentOf(name);
    expect(content.length).toBeGreaterThan(0);
    expect(await problemsWith(name, Buffer.alloc(0))).toContain(name);
  });
});
