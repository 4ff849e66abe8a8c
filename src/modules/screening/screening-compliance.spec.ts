import { figuresFrom } from './screening-compliance.js';
import type { StoredVerdict } from './screening-records.js';

const found = (verdict: StoredVerdict['verdict'], riskScore: number, more: Partial<StoredVerdict> = {}) =>
  ({
    ...{ id: '1', subject: 'user:1', verdict, riskScore, lists: [], reference: `of ${verdict}` },
    ...{ screenedAt: new Date(0), isFresh: true, isAccepted: false },
    ...more,
  }) as StoredVerdict;

const shown = (...verdicts: (StoredVerdict | undefined)[]) => {
  const { amlChecks, sanctionsList, riskLevel, screeningReference } = figuresFrom(verdicts);
  return [amlChecks, sanctionsList, riskLevel, screeningReference];
};

describe('Compliance figures', () => {
  it('are pending without a verdict', () => {
    expect(shown(undefined)).toEqual(['pending', 'pending', 'pending', null]);
    expect(shown(undefined, undefined)).toEqual(['pending', 'pending', 'pending', null]);
  });

  it.each([
    [0, 'low'],
    [39.99, 'low'],
    [40, 'medium'],
    [69.99, 'medium'],
    [70, 'high'],
    [1000, 'high'],
  ])('rate a risk score of %d as %s', (score, level) => {
    expect(figuresFrom([found('clear', score)]).riskLevel).toBe(level);
  });

  it('are the worse of two verdicts', () => {
    const listed = found('blocked', 10, { lists: ['EU-1'] });
    expect(shown(found('clear', 50), found('review', 5))).toEqual(['review', 'clear', 'medium', 'of review']);
    expect(shown(listed, found('review', 80))).toEqual(['blocked', 'listed', 'high', 'of blocked']);
  });

  it('say what is bad already while another verdict is missing, and never that all is well', () => {
    expect(shown(found('clear', 5), undefined)).toEqual(['pending', 'pending', 'pending', 'of clear']);
    expect(shown(undefined, found('blocked', 95, { lists: ['EU-1'] }))).toEqual([
      ...['blocked', 'listed', 'high', 'of blocked'],
    ]);
  });
});
