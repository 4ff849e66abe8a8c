import { JOURNAL_GROUPS } from '../../src/modules/audit-pack/domain/pack-journal.js';
import { ProofError } from '../encoding.js';
import { groupOf } from './account-groups.js';

describe('groupOf', () => {
  it.each(Object.entries(JOURNAL_GROUPS))('derives the group of %s as the platform does', (kind, group) => {
    for (const account of [kind, `${kind}/scope/owner`, `${kind}:owner`])
      expect(groupOf(account)).toBe(group);
  });

  it.each(['', 'equity', 'constructor', 'user.availabl'])('refuses the unknown kind %j', (kind) => {
    expect(() => groupOf(kind)).toThrow(ProofError);
  });
});
