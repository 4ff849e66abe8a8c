import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyPack } from '../../client/audit-pack/verify-pack.js';
import { canonicalJson } from '../../src/modules/proofs/domain/canonical-json.js';
import type { SigningKey } from '../../src/modules/proofs/domain/signing-key.js';
import { LogKeysService } from '../../src/modules/proofs/log-keys.service.js';
import { HISTORY_SETTINGS, HISTORY_START, makeAuditHistory } from '../fixtures/audit-history.js';
import { downloadPack, PACK_FILES, signAgain } from '../fixtures/audit-packs.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { SEED, SeededRandom } from '../harness/seeded-random.js';

const FLIPS_PER_FILE = Number(process.env.FLIPS ?? 12);
const TEXTS = PACK_FILES.filter((name) => name.endsWith('.jsonl') || name === 'journal.hledger');

/** Changes of the lines of a file. An exchange leaves equal lines as they are. */
const LINE_CHANGES: Record<string, (lines: string[], at: number) => string[]> = {
  removed: (lines, at) => lines.toSpliced(at, 1),
  repeated: (lines, at) => lines.toSpliced(at, 0, lines[at] as string),
  exchanged: (lines, at) => {
    const other = lines.findIndex((line, place) => place > at && line !== lines[at]);
    const swapped =
      other < 0 ? lines : lines.with(at, lines[other] as string).with(other, lines[at] as string);
    return swapped;
  },
};

describe(`An audit pack that was changed (SEED=${SEED})`, () => {
  let platform: TestPlatform;
  let key: SigningKey;
  let random: SeededRandom;
  /** A part of the history, so that it has opening balances. */
  let folder: string;

  beforeAll(async () => {
    platform = await startPlatform({ at: HISTORY_START, blockIntervalMs: 0, settings: HISTORY_SETTINGS });
    await makeAuditHistory(platform);
    const { token } = await platform.given.admin();
    folder = await downloadPack(platform, token, { from: '2026-02-24', to: '2026-03-31' });
    key = platform.app.get(LogKeysService).signingKeys[0] as SigningKey;
    random = new SeededRandom(SEED);
  });
  afterAll(() => platform.stop());

  /** The problems of the pack while one file has another content. */
  async function problemsWith(name: string, content: Buffer, isSignedAgain = false): Promise<string> {
    const names = isSignedAgain ? [name, 'manifest.json', 'manifest.sig'] : [name];
    const before = names.map((one) => [one, readFileSync(join(folder, one))] as const);
    try {
      writeFileSync(join(folder, name), content);
      if (isSignedAgain) signAgain(folder, key);
      return (await verifyPack(folder)).wrong.join('\n');
    } finally {
      for (const [one, was] of before) writeFileSync(join(folder, one), was);
    }
  }

  const contentOf = (name: string) => readFileSync(join(folder, name));

  it('is found right as long as nothing was changed', async () => {
    expect((await verifyPack(folder)).wrong).toEqual([]);
  });

  it.each(PACK_FILES)(
    'is found with the name of the file if a single bit of %s was changed [SEC-188]',
    async (name) => {
      const content = contentOf(name);
      for (let flip = 0; flip < FLIPS_PER_FILE; flip++) {
        const [at, bit] = [random.integer(0, content.length - 1), random.integer(0, 7)];
        const changed = Buffer.from(content);
        changed[at] = (changed[at] as number) ^ (1 << bit);
        expect([at, bit, await problemsWith(name, changed)]).toEqual([
          at,
          bit,
          expect.stringContaining(name),
        ]);
      }
    },
  );

  it.each(TEXTS.flatMap((name) => Object.keys(LINE_CHANGES).map((change) => [change, name] as const)))(
    'is found with the name of the file after lines were %s in %s',
    async (change, name) => {
      const lines = contentOf(name).toString().split('\n').slice(0, -1);
      for (let time = 0; time < 3; time++) {
        const changed = LINE_CHANGES[change]?.(lines, random.integer(0, lines.length - 1)) as string[];
        if (changed === lines) continue;
        const problems = await problemsWith(name, Buffer.from(changed.map((line) => `${line}\n`).join('')));
        expect(problems).toContain(name);
      }
    },
  );

  // The signature covers every file. These contents are also bound to the log or to each other, so that a manifest that was
  // signed again does not hide a change.
  it.each(
    [
      'transactions.jsonl',
      'accounts.jsonl',
      'liabilities.jsonl',
      'other-leaves.jsonl',
      'assets.jsonl',
      'journal.hledger',
    ].flatMap((name) => Object.keys(LINE_CHANGES).map((change) => [change, name] as const)),
  )(
    'is found even if its manifest was signed again by the key of the log: lines %s in %s [SEC-189]',
    async (change, name) => {
      const lines = contentOf(name).toString().split('\n').slice(0, -1);
      for (let time = 0; time < 12; time++) {
        const at = random.integer(0, lines.length - 1);
        const changed = LINE_CHANGES[change]?.(lines, at) as string[];
        if (changed === lines) continue;
        const problems = await problemsWith(
          name,
          Buffer.from(changed.map((line) => `${line}\n`).join('')),
          true,
        );
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
    'is found even if its manifest was signed again by the key of the log: a digit of %s was changed',
    async (name) => {
      const content = contentOf(name);
      for (let time = 0; time < FLIPS_PER_FILE; time++) {
        const changed = Buffer.from(content);
        const isDigit = (byte: number) => name === 'hashes.bin' || (byte >= 0x30 && byte <= 0x39);
        let at = random.integer(0, content.length - 1);
        while (!isDigit(content[at] as number)) at = random.integer(0, content.length - 1);
        changed[at] =
          name === 'hashes.bin' ? (content[at] as number) ^ 1 : content[at] === 0x31 ? 0x32 : 0x31;
        const text = content.subarray(Math.max(0, at - 60), at + 20).toString();
        // the time at which a checkpoint was signed is not part of the signed note
        if (
          name === 'checkpoints.jsonl' &&
          /"at":"[^"]*$/.test(content.subarray(0, at).toString().split('\n').at(-1) as string)
        )
          continue;
        expect([text, (await problemsWith(name, changed, true)) === '']).toEqual([text, false]);
      }
    },
  );

  it('is found even if a net asset value and its manifest were changed', async () => {
    const lines = contentOf('navs.jsonl').toString().split('\n').slice(0, -1);
    const at = lines.findIndex((line) => line.includes('"day":"2026-03-10"'));
    const nav = JSON.parse(lines[at] as string);
    const changed = lines.with(
      at,
      JSON.stringify(
        { ...nav, nav: nav.nav.replace(/\d$/, (digit: string) => (digit === '1' ? '2' : '1')) },
        Object.keys(nav).sort(),
      ),
    );
    const problems = await problemsWith(
      'navs.jsonl',
      Buffer.from(changed.map((line) => `${line}\n`).join('')),
      true,
    );
    expect(problems).toContain(`navs.jsonl: line ${at + 1}: The value of the day before and the rate give`);
  });

  it.each(['amount', 'assets', 'liabilities', 'coverage'])(
    'is found even if its manifest was signed again by the key of the log: a digit of %s in assets.jsonl was changed',
    async (member) => {
      const lines = contentOf('assets.jsonl').toString().split('\n').slice(0, -1);
      const at = random.integer(0, lines.length - 1);
      const changed = (lines[at] as string).replace(
        new RegExp(`("${member}":"-?\\d*)(\\d)\\.`),
        (_, before: string, digit: string) => `${before}${digit === '1' ? '2' : '1'}.`,
      );
      expect(changed).not.toBe(lines[at]);
      const content = lines.with(at, changed).map((line) => `${line}\n`);
      const problems = await problemsWith('assets.jsonl', Buffer.from(content.join('')), true);
      expect(problems).toContain(`assets.jsonl: line ${at + 1}: `);
    },
  );

  it.each([
    ['other-leaves.jsonl', '"days":"before"', '"days":"after"', 'is not of a day after 2026-03-31'],
    ['other-leaves.jsonl', '"days":"before"', '"days":null', 'is of a transaction that was removed'],
    ['journal.hledger', /    liabilities:user/, '    equity:user', 'is not one of the equity'],
    ['navs.jsonl', /"day":"2026-\d\d/, '"day":"2026-00', 'day is not a day'],
    ['audit.jsonl', /"at":"2026-\d\d/, '"at":"2026-13', 'at is not an instant'],
    ['assets.jsonl', /"totals":\[\{/, '"totals":[null,{', 'totals is not a list of objects'],
    ['liabilities.jsonl', /"leaf":\{[^}]*\}/, '"leaf":null', 'The leaf is not the one'],
    ['transactions.jsonl', /"entries":\[/, '"entries":[null,', 'The leaf is not the one'],
  ] as const)(
    'is found even if its manifest was signed again by the key of the log: %s has not %s but %s',
    async (name, before, after, problem) => {
      const text = contentOf(name).toString();
      const changed = text.replace(before, after);
      expect(changed).not.toBe(text);
      const problems = await problemsWith(name, Buffer.from(changed), true);
      expect(problems).toMatch(new RegExp(`^${name}: line \\d+: .*${problem}`, 'm'));
    },
  );

  it('is found if the manifest has null instead of a file or a day that does not exist', async () => {
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

  it('blames no other file than the checkpoints after a wrong checkpoint', async () => {
    const lines = contentOf('checkpoints.jsonl').toString().split('\n').slice(0, -1);
    const changed = lines.with(0, (lines[0] as string).replace(/"size":\d/, '"size":9'));
    const problems = await problemsWith('checkpoints.jsonl', Buffer.from(`${changed.join('\n')}\n`), true);
    expect(problems).toMatch(/^checkpoints\.jsonl: line 1: .*$/);
  });

  it.each(PACK_FILES)('is found with the name of the file if %s is empty', async (name) => {
    const content = contentOf(name);
    expect(content.length).toBeGreaterThan(0);
    expect(await problemsWith(name, Buffer.alloc(0))).toContain(name);
  });
});
