import { PROOF_VECTORS } from '../../fixtures/proof-vectors.js';
import { recomputeReceipt } from '../../fixtures/recomputed-receipt.js';

describe('The computation of receipts', () => {
  it('gives the values of the test vectors', () => {
    const { navs, units, values } = PROOF_VECTORS.values;
    const receipt = { status: 'active', principal: '500.00', units, fees: [] } as const;
    for (const { day, value } of values) {
      const days = navs // from the day after the creation of the investment
        .filter((nav) => nav.day > '2026-01-01' && nav.day <= day)
        .map((nav) => ({ ...nav, source: 'target' }));
      const computed = recomputeReceipt({ ...receipt, days });
      expect([day, computed.value]).toEqual([day, value]);
      // The first NAV of a receipt is given; each later one is computed from the one before.
      expect(computed.navs).toEqual(days.slice(1).map(({ nav }) => nav));
    }
  });
});
