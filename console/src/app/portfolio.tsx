import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { isSandbox } from '../api/sign-in.ts';
import type { InvestmentItemResponse, TransactionResponse } from 'stablecoin-platform-client/routes';
import { useServiceTime } from '../api/service-time.ts';
import { useRead } from '../api/use-read.ts';
import { isPositive } from '../ui/decimal.ts';
import { daysBefore, formatPercent } from '../ui/format.ts';
import { inLanguage } from '../ui/language.ts';
import styles from './app.module.css';
import { Card, DataTable, Empty, Loaded, Money, Page, Status, TextLink } from './parts.tsx';
import { LetTimePass } from './sandbox-clock.tsx';
import { TransactionTable } from './transaction-table.tsx';
import { INVESTMENT_STATUS } from './statuses.ts';
import { ValueChart } from './value-chart.tsx';

const T = inLanguage({
  title: ['Portfolio', 'Vermögen'],
  total: ['Total value', 'Gesamtwert'],
  available: ['Available', 'Verfügbar'],
  invested: ['Invested, with growth', 'Angelegt, mit Zuwachs'],
  reserved: [
    'Reserved for withdrawals, not in the total',
    'Für Auszahlungen reserviert, nicht im Gesamtwert',
  ],
  growth: ['Growth of open positions', 'Zuwachs offener Anlagen'],
  overTime: ['Value over time', 'Wert im Zeitverlauf'],
  period: ['Period', 'Zeitraum'],
  days: [(count: number) => `${count} days`, (count: number) => `${count} Tage`],
  positions: ['Positions', 'Anlagen'],
  strategy: ['Strategy', 'Strategie'],
  principal: ['Principal', 'Einsatz'],
  value: ['Value', 'Wert'],
  earnings: ['Growth', 'Zuwachs'],
  target: ['Target a year', 'Ziel im Jahr'],
  state: ['State', 'Stand'],
  noPositions: [
    'Nothing is invested. Choose one of the strategies.',
    'Es ist nichts angelegt. Wählen Sie eine Strategie.',
  ],
  invest: ['Invest', 'Anlegen'],
  noMoney: [
    'There is no money yet. Begin with a deposit.',
    'Es ist noch kein Geld da. Beginnen Sie mit einer Einzahlung.',
  ],
  deposit: ['Deposit', 'Einzahlen'],
  latest: ['Latest entries', 'Letzte Buchungen'],
  all: ['All entries', 'Alle Buchungen'],
});

const PERIODS = [30, 90, 365];

export default function Portfolio() {
  const balance = useRead('GET /api/user/balance');
  const latest = useRead('GET /api/user/transactions', { query: { limit: 5 } });
  return (
    <Page title={T.title}>
      <Loaded query={balance}>
        {({ data }) => (
          <>
            <Card>
              <dl className={styles.figures}>
                {(
                  [
                    [T.total, data.total],
                    [T.available, data.available],
                    [T.invested, data.invested],
                    [T.growth, data.accruedEarnings],
                    [T.reserved, data.reserved],
                  ] as const
                ).map(([name, amount]) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd>
                      <Money amount={amount} />
                    </dd>
                  </div>
                ))}
              </dl>
              {!isPositive(data.total) && !isPositive(data.reserved) && (
                <Empty to="/deposit" action={T.deposit}>
                  {T.noMoney}
                </Empty>
              )}
            </Card>
            <ValueHistory />
          </>
        )}
      </Loaded>
      <Positions />
      <Card title={T.latest} aside={<TextLink to="/history">{T.all}</TextLink>}>
        <Loaded query={latest}>
          {({ data }) => <TransactionTable rows={data as TransactionResponse[]} />}
        </Loaded>
      </Card>
      {isSandbox && <LetTimePass />}
    </Page>
  );
}

function ValueHistory() {
  const now = useServiceTime();
  const [period, setPeriod] = useState(30);
  const startDate = now && daysBefore(now, period);
  const history = useRead(
    'GET /api/user/balance/history',
    { query: { startDate, interval: 'daily' } },
    { keepPrevious: true, enabled: now !== undefined },
  );
  return (
    <Card
      title={T.overTime}
      aside={
        <NativeSelect
          aria-label={T.period}
          value={String(period)}
          onChange={(event) => setPeriod(Number(event.currentTarget.value))}
          data={PERIODS.map((count) => ({ value: String(count), label: T.days(count) }))}
        />
      }
    >
      <Loaded query={history}>{({ data }) => <ValueChart days={data} />}</Loaded>
    </Card>
  );
}

function Positions() {
  const open = useRead('GET /api/user/investments', { query: { status: 'active', limit: 100 } });
  const pending = useRead('GET /api/user/investments', { query: { status: 'pending', limit: 100 } });
  const paused = useRead('GET /api/user/investments', { query: { status: 'paused', limit: 100 } });
  return (
    <Card title={T.positions} aside={<TextLink to="/invest">{T.invest}</TextLink>}>
      <Loaded query={open}>
        {(active) => (
          <Loaded query={pending}>
            {(waiting) => (
              <Loaded query={paused}>
                {(stopped) => <PositionTable rows={[...waiting.data, ...stopped.data, ...active.data]} />}
              </Loaded>
            )}
          </Loaded>
        )}
      </Loaded>
    </Card>
  );
}

function PositionTable({ rows }: { rows: InvestmentItemResponse[] }) {
  if (rows.length === 0)
    return (
      <Empty to="/invest" action={T.invest}>
        {T.noPositions}
      </Empty>
    );
  return (
    <DataTable
      label={T.positions}
      rows={rows}
      columns={[
        {
          name: T.strategy,
          cell: ({ id, strategyName }) => <TextLink to={`/positions/${id}`}>{strategyName}</TextLink>,
        },
        {
          name: T.state,
          cell: ({ status }) => <Status status={status}>{INVESTMENT_STATUS[status]}</Status>,
        },
        { name: T.target, isNumber: true, cell: ({ apy }) => formatPercent(apy) },
        { name: T.principal, isNumber: true, cell: ({ amount }) => <Money amount={amount} /> },
        {
          name: T.earnings,
          isNumber: true,
          cell: ({ totalEarnings }) => <Money amount={totalEarnings} />,
        },
        {
          name: T.value,
          isNumber: true,
          cell: ({ currentValue }) => <Money amount={currentValue} />,
        },
      ]}
    />
  );
}
