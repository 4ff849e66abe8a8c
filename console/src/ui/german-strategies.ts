/** German for the descriptions in `config/strategies.json`; those of an operator stay as they are. */
export const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'Stablecoin pools with deep liquidity and little risk.':
    'Stablecoin-Pools mit hoher Liquidität und geringem Risiko.',
  'A mix of fixed yield and stablecoin pools for steady growth at medium risk.':
    'Eine Mischung aus festem Ertrag und Stablecoin-Pools für stetigen Zuwachs bei mittlerem Risiko.',
  'Leveraged fixed yield and boosted pools: the highest target at high risk.':
    'Gehebelter fester Ertrag und verstärkte Pools: das höchste Ziel bei hohem Risiko.',
};
