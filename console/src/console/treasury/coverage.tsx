import { Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, hasCode } from '../../api/client.ts';
import { REFRESH_MS } from '../../api/queries.ts';
import { useServiceTime } from '../../api/service-time.ts';
import '../../ui/data-table.css';
import { compareDecimals, isPositive, subtract } from '../../ui/decimal.ts';
import { Failure } from '../../ui/failure.tsx';
import { daysBefore, formatDay, formatRatio } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { placeName } from '../../ui/places.ts';
import { Section } from '../../ui/section.tsx';
import { Money } from '../../ui/values.tsx';

const T = inLanguage({
  title: [(day: string) => `Coverage at the end of ${day}`, (day: string) => `Deckung am Ende des ${day}`],
  place: ['Place', 'Ort'],
  amount: ['Amount', 'Betrag'],
  source: ['Shown by', 'Belegt durch'],
  held: ['Held', 'Vorhanden'],
  owed: ['Owed to users', 'Nutzern geschuldet'],
  missing: ['Missing', 'Fehlbetrag'],
  missingMeaning: [
    'What is owed in USDC includes deposits in USDT, which are held in USDT, and the growth of open investments, which is held only after the strategies have paid it out.',
    'In USDC geschuldet sind auch Einzahlungen in USDT, die in USDT vorhanden sind, und der Zuwachs offener Investitionen, der vorhanden ist, sobald die Strategien ihn ausgezahlt haben.',
  ],
  covered: [(ratio: string) => `${ratio} covered`, (ratio: string) => `zu ${ratio} gedeckt`],
  none: [
    'No figures of this day yet: a day is closed some time after midnight UTC.',
    'Noch keine Zahlen zu diesem Tag: Ein Tag wird einige Zeit nach Mitternacht UTC abgeschlossen.',
  ],
});

const SOURCE = inLanguage({
  chain: ['the chain', 'die Chain'],
  statement: ['a statement of the provider', 'einen Auszug des Anbieters'],
  books: ['the books', 'die Bücher'],
});

/** The assets and liabilities at the end of a day; null if the day is not closed yet. */
async function findAssets(day: string) {
  try {
    return (await api.call('GET /api/proofs/assets/{day}', { path: { day } })).data;
  } catch (error) {
    if (hasCode(error, 'PROOF_NOT_FOUND')) return null;
    throw error;
  }
}

/** What the platform held, by place, and owed at the end of yesterday, or a sentence that the day is not closed yet. */
export function Coverage() {
  const now = useServiceTime();
  const day = now && daysBefore(now, 1);
  const { data, error, refetch } = useQuery({
    queryKey: ['coverage', day],
    queryFn: () => findAssets(day ?? ''),
    enabled: day !== undefined,
    refetchInterval: ({ state }) => (state.data === null ? REFRESH_MS : false),
  });
  if (!day || (data === undefined && !error)) return null;
  return (
    <Section title={T.title(formatDay(day))}>
      {data === null && T.none}
      {error && data === undefined && <Failure error={error} retry={() => void refetch()} />}
      {data && (
        <div className="table-frame">
          <table className="table">
            <caption className="visually-hidden">{T.title(formatDay(day))}</caption>
            <thead>
              <tr>
                <th scope="col">{T.place}</th>
                <th scope="col" className="right">
                  {T.amount}
                </th>
                <th scope="col">{T.source}</th>
              </tr>
            </thead>
            <tbody>
              {data.lines.map(({ place, asset, amount, source }) => (
                <tr key={`${place} ${asset}`}>
                  <td>{placeName(place)}</td>
                  <td className="right">
                    <Money amount={amount} currency={asset} isExact />
                  </td>
                  <td>{SOURCE[source]}</td>
                </tr>
              ))}
              {data.totals.flatMap(({ asset, assets, liabilities, coverage }) => [
                <tr key={`${asset} assets`}>
                  <th scope="row">{T.held}</th>
                  <td className="right">
                    <Money amount={assets} currency={asset} isExact />
                  </td>
                  <td>
                    {coverage !== null && (
                      <Badge variant="light" color={compareDecimals(coverage, '1') < 0 ? 'yellow' : 'green'}>
                        {T.covered(formatRatio(coverage))}
                      </Badge>
                    )}
                  </td>
                </tr>,
                <tr key={`${asset} owed`}>
                  <th scope="row">{T.owed}</th>
                  <td className="right">
                    <Money amount={liabilities} currency={asset} isExact />
                  </td>
                  <td />
                </tr>,
                isPositive(subtract(liabilities, assets)) && (
                  <tr key={`${asset} missing`}>
                    <th scope="row">{T.missing}</th>
                    <td className="right">
                      <Money amount={subtract(liabilities, assets)} currency={asset} isExact />
                    </td>
                    <td>{asset === 'USDC' && T.missingMeaning}</td>
                  </tr>
                ),
              ])}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}
