/** German for names and descriptions of `config/strategies.json`; those of an operator stay as they are. */
export const STRATEGIES: Readonly<Record<string, string>> = {
  'Conservative 5%': 'Konservativ 5\u00a0%',
  'Stablecoin pools with deep liquidity and little risk.':
    'Stablecoin-Pools mit hoher Liquidität und geringem Risiko.',
  'Balanced 10%': 'Ausgewogen 10\u00a0%',
  'A mix of fixed yield and stablecoin pools for steady growth at medium risk.':
    'Eine Mischung aus festem Ertrag und Stablecoin-Pools für stetigen Zuwachs bei mittlerem Risiko.',
  'Aggressive 20%': 'Offensiv 20\u00a0%',
  'Leveraged fixed yield and boosted pools: the highest target at high risk.':
    'Gehebelter fester Ertrag und verstärkte Pools: das höchste Ziel bei hohem Risiko.',
};

/** Also where a name is a part of a text of the service, such as of a notification. */
export const germanStrategies = (text: string): string =>
  Object.entries(STRATEGIES).reduce(
    (changed, [english, german]) => changed.replaceAll(english, german),
    text,
  );
