import { Group } from '@mantine/core';
import { api, type Answer } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { FilterField } from '../../ui/filter-field.tsx';
import { formatDay } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Section } from '../../ui/section.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { Money } from '../../ui/values.tsx';
import { Exports } from './exports.tsx';
import { T } from './texts.ts';

const TITLE = inLanguage({
  result: [
    (from: string, to: string) => `Result from ${from} to ${to}`,
    (from: string, to: string) => `Ergebnis vom ${from} bis ${to}`,
  ],
  managementFees: ['Management fees', 'Verwaltungs\u00adgebühren'],
  performanceFees: ['Performance fees', 'Erfolgsgebühren'],
  strategyYield: ['Yield that the custody provider has paid', 'Vom Verwahrer gezahlter Ertrag'],
  yieldRealised: ['Growth paid to users', 'An Nutzer gezahlter Zuwachs'],
  yieldAccrued: ['Rise of the growth that is owed', 'Anstieg des geschuldeten Zuwachses'],
  sum: ['Income less expense', 'Ertrag abzüglich Aufwand'],
  beside: ['Not in the result', 'Nicht im Ergebnis'],
  rounding: ['Rounding', 'Rundung'],
  conversion: ['Conversion', 'Umtausch'],
});

type Answered = Answer<'GET /api/admin/books/profit-and-loss'>['data'];

export function ProfitAndLoss() {
  const [url, setUrl] = useUrlState({ tab: 'accounts', from: '', to: '', page: '1' });
  const query = { ...(url.from ? { startDate: url.from } : {}), ...(url.to ? { endDate: url.to } : {}) };
  const { data, error, refetch } = useRead(
    'GET /api/admin/books/profit-and-loss',
    { query },
    { keepPrevious: true },
  );
  const { startDate = '', endDate = '' } = data?.data.period ?? {};
  return (
    <>
      <Group align="end" mb="md">
        <FilterField
          type="date"
          label={T.from}
          value={url.from || startDate}
          onChange={(from) => setUrl({ from })}
        />
        <FilterField type="date" label={T.to} value={url.to || endDate} onChange={(to) => setUrl({ to })} />
        <Exports
          name={`profit-and-loss-${startDate}-${endDate}`}
          read={(format) => api.call('GET /api/admin/books/profit-and-loss', { query: { ...query, format } })}
        />
      </Group>
      {data ? <Result result={data.data} /> : error && <Failure error={error} retry={() => void refetch()} />}
    </>
  );
}

function Result({ result: { period, income, expense, result, rounding, conversion } }: { result: Answered }) {
  const usdc = (amount: string) => <Money key={amount} amount={amount} currency="USDC" isExact />;
  const listed = (title: string, amounts: Answered['rounding']) =>
    amounts.map(
      ({ asset, amount }) =>
        [`${title} ${asset}`, <Money key={asset} amount={amount} currency={asset} isExact />] as const,
    );
  const beside = [...listed(TITLE.rounding, rounding), ...listed(TITLE.conversion, conversion)];
  return (
    <div className="columns">
      <Section title={TITLE.result(formatDay(period.startDate), formatDay(period.endDate))}>
        <Facts
          of={[
            [TITLE.managementFees, usdc(income.managementFees)],
            [TITLE.performanceFees, usdc(income.performanceFees)],
            [TITLE.strategyYield, usdc(income.strategyYield)],
            [TITLE.yieldRealised, usdc(expense.yieldRealised)],
            [TITLE.yieldAccrued, usdc(expense.yieldAccrued)],
            [TITLE.sum, <strong key="sum">{usdc(result)}</strong>],
          ]}
        />
      </Section>
      {beside.length > 0 && (
        <Section title={TITLE.beside}>
          <Facts of={beside} />
        </Section>
      )}
    </div>
  );
}
