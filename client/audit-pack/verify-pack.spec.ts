import { JOURNAL_GROUPS } from '../../src/modules/assurance/audit-pack/domain/pack-journal.js';
import { ProofError } from '../encoding.js';
import { dayIn, instantIn } from './json-members.js';
import { Findings } from './findings.js';
import { groupOf } from './journal.js';
import { LeafSet } from './leaf-set.js';

describe('Findings', () => {
  it('lists an unexpected error as a problem of the file and continues', async () => {
    const findings = new Findings();
    const failingVerification = (): string => {
      throw new RangeError('Invalid time value');
    };
    await expect(findings.verify('navs.jsonl', failingVerification)).resolves.toBe(false);
    await expect(findings.verify('audit.jsonl', () => 'right')).resolves.toBe(true);
    expect(findings.wrong).toEqual(['navs.jsonl: It cannot be verified: Invalid time value']);
    expect(findings.right).toEqual(['audit.jsonl: right']);
  });
});

describe('dayIn and instantIn', () => {
  it('accept days and instants of the calendar', () => {
    expect(dayIn({ day: '2024-02-29' }, 'day')).toBe('2024-02-29');
    expect(instantIn({ at: '2026-12-31T23:59:59.999Z' }, 'at')).toBe('2026-12-31T23:59:59.999Z');
  });

  it.each(['2026-00-01', '2026-02-30', '2026-13-01', '2026-1-1', '', null])('refuse the day %j', (day) => {
    expect(() => dayIn({ day }, 'day')).toThrow(ProofError);
    expect(() => instantIn({ at: `${day}T00:00:00.000Z` }, 'at')).toThrow(ProofError);
  });
});

describe('LeafSet', () => {
  it('names the leaves that were not added, as ranges', () => {
    const leaves = new LeafSet(20);
    for (const index of [0, 1, 5, 7, 8, 19]) leaves.addLeaf(index);
    const missing = leaves.missingLeaves();
    expect([missing.count, missing.toString()]).toEqual([14, 'leaves 2-4, 6, 9-18']);
  });

  it('refuses a leaf that was added before and one that is not in hashes.bin', () => {
    const leaves = new LeafSet(20);
    leaves.addLeaf(5);
    expect(() => leaves.addLeaf(5)).toThrow('The pack lists leaf 5 twice.');
    expect(() => leaves.addLeaf(20)).toThrow('hashes.bin has no leaf 20.');
  });

  it('names twenty ranges and counts the leaves of further ones', () => {
    const leaves = new LeafSet(100);
    for (let index = 0; index < 100; index += 2) leaves.addLeaf(index);
    // 50 odd leaves are missing, each of which is a range: 20 are named, and 50 - 20 = 30 are counted.
    expect(leaves.missingLeaves().toString()).toMatch(/^leaves 1, 3, .*, 39 and 30 more$/);
  });
});

describe('groupOf', () => {
  it.each(Object.entries(JOURNAL_GROUPS))('derives the group of %s as the platform does', (kind, group) => {
    for (const account of [kind, `${kind}/scope/owner`, `${kind}:owner`])
      expect(groupOf(account)).toBe(group);
  });

  it.each(['', 'equity', 'constructor', 'user.availabl'])('refuses the unknown kind %j', (kind) => {
    expect(() => groupOf(kind)).toThrow(ProofError);
  });
});
