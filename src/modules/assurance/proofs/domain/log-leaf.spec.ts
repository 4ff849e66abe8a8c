import { bytesOf, PROOF_VECTORS } from '../../../../../test/fixtures/proof-vectors.js';
import { canonicalJson, type JsonValue } from '../../../../common/canonical-json.js';
import {
  leafAccount,
  type LiabilitiesLeaf,
  liabilitiesLeafText,
  type TransactionLeaf,
  transactionLeafText,
} from './log-leaf.js';
import { leafHash } from './merkle-tree.js';

const { list } = PROOF_VECTORS.leaves;
type ParsedLeaf = (TransactionLeaf | LiabilitiesLeaf) & { readonly kind: string };

describe('leaves of the log', () => {
  it.each(list.map(({ text, hash }, index) => ({ index, text, hash })))(
    'have the text and the hash of test vector $index',
    ({ text, hash }) => {
      const leaf = JSON.parse(text) as ParsedLeaf;
      const written =
        'entries' in leaf
          ? transactionLeafText({ ...leaf, effectiveAt: new Date(leaf.effectiveAt) })
          : liabilitiesLeafText(leaf);
      expect(written).toBe(text);
      expect(canonicalJson(JSON.parse(written) as JsonValue)).toBe(written);
      expect(leafHash(written)).toEqual(bytesOf(hash));
    },
  );

  it('name an account by its kind, its scope and its user', () => {
    expect(leafAccount('suspense', '', null)).toBe('suspense');
    expect(leafAccount('asset.custody', '', null)).toBe('asset.custody');
    expect(leafAccount('strategy.accrued', 'balanced-10', null)).toBe('strategy.accrued/balanced-10');
    expect(leafAccount('user.available', '', 'ann')).toBe('user.available/ann');
    expect(leafAccount('user.units', 'balanced-10', 'ann')).toBe('user.units/balanced-10/ann');
  });
});
