import { Money } from '../../../../common/money.js';
import { assetTotals, type AssetLine } from './asset-lines.js';

const line = (asset: AssetLine['asset'], amount: string): AssetLine => ({
  place: 'custody',
  source: 'books',
  asset,
  amount,
});
const texts = (totals: ReturnType<typeof assetTotals>) =>
  totals.map(({ asset, assets, liabilities, coverage }) => [
    asset,
    ...[assets, liabilities, coverage].map((value) => value?.toExact() ?? null),
  ]);

describe('assetTotals', () => {
  it('divides the assets by the liabilities, rounded down at six decimals', () => {
    const lines = [line('USDC', '1.5'), line('USDC', '0.5'), line('ETH', '-1.00')];
    const trees = [
      { asset: 'USDC', total: Money.of('3') },
      { asset: 'ETH', total: Money.of('3') },
    ] as const;
    expect(texts(assetTotals(lines, trees))).toEqual([
      ['USDC', '2.00', '3.00', '0.666666'], // (1.5 + 0.5) / 3
      ['ETH', '-1.00', '3.00', '-0.333334'], // −1 / 3
    ]);
  });

  it('has no coverage of an asset in which nothing is owed, and leaves out assets without lines and trees', () => {
    const trees = [{ asset: 'USDC', total: Money.ZERO }] as const;
    expect(texts(assetTotals([line('USDT', '7')], trees))).toEqual([
      ['USDC', '0.00', '0.00', null],
      ['USDT', '7.00', '0.00', null],
    ]);
  });
});
