import { Money } from '../../../common/money.js';

export type RiskLevel = 'low' | 'medium' | 'high';

/** A yield strategy. */
export interface Strategy {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly riskLevel: RiskLevel;
  /** Target, percent a year. */
  readonly apy: Money;
  /** USDC. */
  readonly minimum: Money;
  readonly maximum: Money;
  /** Where the money is put to work; weights in percent, together 100. */
  readonly protocols: readonly { readonly name: string; readonly weight: Money }[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const RELEASED = new Date('2026-01-01T00:00:00.000Z');

function strategy(
  facts: Pick<Strategy, 'id' | 'name' | 'description' | 'riskLevel'> & {
    apy: string;
    weights: Record<string, string>;
  },
): Strategy {
  const { weights, apy, ...words } = facts;
  return {
    ...words,
    apy: Money.of(apy),
    minimum: Money.of('10.00'),
    maximum: Money.of('1000000.00'),
    protocols: Object.entries(weights).map(([name, weight]) => ({ name, weight: Money.of(weight) })),
    createdAt: RELEASED,
    updatedAt: RELEASED,
  };
}

/** Every strategy there is; which are suspended says the configuration. */
export const CATALOGUE: readonly Strategy[] = [
  strategy({
    id: 'conservative-5',
    name: 'Conservative 5%',
    description: 'Stablecoin pools with deep liquidity and little risk.',
    riskLevel: 'low',
    apy: '5.00',
    weights: { curve: '60', convex: '40' },
  }),
  strategy({
    id: 'balanced-10',
    name: 'Balanced 10%',
    description: 'A mix of fixed yield and stablecoin pools for steady growth at medium risk.',
    riskLevel: 'medium',
    apy: '10.00',
    weights: { pendle: '40', curve: '35', convex: '25' },
  }),
  strategy({
    id: 'aggressive-20',
    name: 'Aggressive 20%',
    description: 'Leveraged fixed yield and boosted pools: the highest target at high risk.',
    riskLevel: 'high',
    apy: '20.00',
    weights: { pendle: '70', convex: '30' },
  }),
];
