import { NativeSelect, Tabs } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import '@mantine/core/styles/Tabs.css';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import type {
  CancelledInvestmentResponse,
  ClosedInvestmentResponse,
  InvestmentResponse,
} from 'stablecoin-platform-client/routes';
import { api, hasCode, type Answer } from '../api/client.ts';
import { useRead } from '../api/use-read.ts';
import { formatMoment, formatMoney, formatPercent } from '../ui/format.ts';
import { inLanguage } from '../ui/language.ts';
import { Facts } from '../ui/facts.tsx';
import { Moment } from '../ui/values.tsx';
import { ActionPanel } from './action-panel.tsx';
import styles from './app.module.css';
import { formatSum } from './format.ts';
import { useAction } from './intent.ts';
import { Card, Empty, Failure, Loaded, Money, Page, Status, TextLink } from './parts.tsx';
import { INVESTMENT_STATUS } from './statuses.ts';

type Investment = Answer<'GET /api/user/investments/{id}'>['data'];

const T = inLanguage({
  title: ['Position', 'Anlage'],
  none: ['There is no such position.', 'Diese Anlage gibt es nicht.'],
  back: ['To the portfolio', 'Zum Vermögen'],
  state: ['State', 'Stand'],
  principal: ['Principal', 'Einsatz'],
  value: ['Value', 'Wert'],
  growth: ['Growth', 'Zuwachs'],
  target: ['Target a year', 'Ziel im Jahr'],
  since: ['Since', 'Seit'],
  next: ['Next growth', 'Nächster Zuwachs'],
  ended: ['Ended', 'Beendet'],
  paid: ['Paid out', 'Ausgezahlt'],
  from: ['Moved from', 'Umgeschichtet aus'],
  to: ['Moved to', 'Umgeschichtet in'],
  other: ['another position', 'einer anderen Anlage'],
  actions: ['What you can do', 'Was Sie tun können'],
  closing: ['Close', 'Beenden'],
  moving: ['Move', 'Umschichten'],
  cancelling: ['Cancel', 'Stornieren'],
  closePosition: ['Close the position', 'Anlage beenden'],
  cancelPosition: ['Cancel the position', 'Anlage stornieren'],
  fees: ['Fees', 'Gebühren'],
  feeLine: [
    (management: string, performance: string, carried: string) =>
      `${management} USDC for management, ${performance} USDC of the growth, ${carried} USDC carried over from earlier positions`,
    (management: string, performance: string, carried: string) =>
      `${management} USDC Verwaltung, ${performance} USDC auf den Zuwachs, ${carried} USDC aus früheren Anlagen`,
  ],
  payout: ['You receive', 'Sie erhalten'],
  valid: ['Valid until', 'Gültig bis'],
  closeSentence: [
    (sum: string) => `Closes the whole position and makes ${sum} available. This cannot be undone.`,
    (sum: string) =>
      `Beendet die ganze Anlage und macht ${sum} verfügbar. Das lässt sich nicht rückgängig machen.`,
  ],
  locked: [
    (until: string) => `Closing is possible from ${until} on.`,
    (until: string) => `Beenden ist ab ${until} möglich.`,
  ],
  closed: [
    (sum: string) => `Closed: ${sum} are available.`,
    (sum: string) => `Beendet: ${sum} sind verfügbar.`,
  ],
  moveTo: ['Move to', 'Umschichten in'],
  moveSentence: [
    (sum: string, name: string) =>
      `Moves the whole value, ${sum}, to ${name}, without a fee now. It grows at the new target from today on.`,
    (sum: string, name: string) =>
      `Schichtet den ganzen Wert, ${sum}, in ${name} um, jetzt ohne Gebühr. Ab heute gilt das neue Ziel.`,
  ],
  moved: [(name: string) => `Moved to ${name}.`, (name: string) => `Umgeschichtet in ${name}.`],
  cancelSentence: [
    (sum: string) =>
      `Returns the first principal of ${sum}, or the value if it is lower, without a fee. Growth is lost. This cannot be undone.`,
    (sum: string) =>
      `Gibt den ersten Einsatz von ${sum} zurück, oder den Wert, wenn er niedriger ist, ohne Gebühr. Zuwachs verfällt. Das lässt sich nicht rückgängig machen.`,
  ],
  cancelled: ['Cancelled: the amount is available.', 'Storniert: Der Betrag ist verfügbar.'],
  pending: [
    'A position that waits for approval can only be cancelled.',
    'Eine Anlage, die auf Freigabe wartet, lässt sich nur stornieren.',
  ],
});

export default function Position() {
  const { id = '' } = useParams();
  const query = useRead('GET /api/user/investments/{id}', { path: { id } });
  if (hasCode(query.error, 'INVESTMENT_NOT_FOUND', 'VALIDATION_ERROR'))
    return (
      <Page title={T.title}>
        <Empty to="/" action={T.back}>
          {T.none}
        </Empty>
      </Page>
    );
  return (
    <Loaded query={query}>
      {({ data }) => (
        <Page title={data.strategyName} back={['/', T.back]}>
          <Card>
            <PositionFacts data={data} />
          </Card>
          {data.endedAt === null && <Actions investment={data} />}
        </Page>
      )}
    </Loaded>
  );
}

function PositionFacts({ data }: { data: Investment }) {
  return (
    <Facts
      of={[
        [T.state, <Status status={data.status}>{INVESTMENT_STATUS[data.status]}</Status>],
        [T.principal, <Money amount={data.amount} />],
        [T.value, <Money amount={data.currentValue} />],
        [T.growth, <Money amount={data.totalEarnings} />],
        [T.target, formatPercent(data.apy)],
        [T.since, <Moment at={data.createdAt} />],
        [T.next, data.nextYieldDate !== null && <Moment at={data.nextYieldDate} />],
        [T.ended, data.endedAt !== null && <Moment at={data.endedAt} />],
        [T.paid, data.withdrawnAmount !== null && <Money amount={data.withdrawnAmount} />],
        [
          T.from,
          data.movedFrom !== null && <TextLink to={`/positions/${data.movedFrom}`}>{T.other}</TextLink>,
        ],
        [T.to, data.movedTo !== null && <TextLink to={`/positions/${data.movedTo}`}>{T.other}</TextLink>],
      ]}
    />
  );
}

function Actions({ investment }: { investment: Investment }) {
  const isPending = investment.status === 'pending';
  return (
    <Card title={T.actions}>
      {isPending && <p className={styles.hint}>{T.pending}</p>}
      <Tabs defaultValue={isPending ? 'cancel' : 'close'} keepMounted={false}>
        <Tabs.List>
          {!isPending && <Tabs.Tab value="close">{T.closing}</Tabs.Tab>}
          {!isPending && <Tabs.Tab value="move">{T.moving}</Tabs.Tab>}
          <Tabs.Tab value="cancel">{T.cancelling}</Tabs.Tab>
        </Tabs.List>
        {!isPending && (
          <Tabs.Panel value="close" pt="md">
            <Closing id={investment.id} />
          </Tabs.Panel>
        )}
        {!isPending && (
          <Tabs.Panel value="move" pt="md">
            <Moving investment={investment} />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="cancel" pt="md">
          <Cancelling investment={investment} />
        </Tabs.Panel>
      </Tabs>
    </Card>
  );
}

function Closing({ id }: { id: string }) {
  const queries = useQueryClient();
  const quote = useRead('GET /api/user/investments/{id}/quote', { path: { id } });
  const action = useAction<ClosedInvestmentResponse>('investment.close');
  const close = async () => {
    const result = await action.run(id, async (idempotencyKey) => {
      const { data } = await api.call('DELETE /api/user/investments/{id}', { path: { id }, idempotencyKey });
      return data;
    });
    if (!result) return;
    notifications.show({ message: T.closed(formatSum(result.withdrawnAmount)), color: 'green' });
    await queries.invalidateQueries();
  };
  if (quote.error) return <Failure error={quote.error} retry={quote.refetch} />;
  return (
    <Loaded query={quote}>
      {({ data: { value, fees, payout, lockedUntil, validUntil } }) => (
        <>
          <Facts
            of={[
              [T.value, <Money amount={value} />],
              [
                T.fees,
                T.feeLine(
                  formatMoney(fees.managementFee),
                  formatMoney(fees.performanceFee),
                  formatMoney(fees.carriedFees),
                ),
              ],
              [
                T.payout,
                <strong>
                  <Money amount={payout} />
                </strong>,
              ],
              [T.valid, <Moment at={validUntil} />],
            ]}
          />
          <ActionPanel
            sentence={T.closeSentence(formatSum(payout))}
            disabledBecause={lockedUntil !== null && T.locked(formatMoment(lockedUntil))}
            asks
            label={T.closePosition}
            color="red"
            action={action}
            onAct={close}
            outcome={({ withdrawnAmount }) => T.closed(formatSum(withdrawnAmount))}
          />
        </>
      )}
    </Loaded>
  );
}

function Moving({ investment: { id, strategyId, currentValue } }: { investment: Investment }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const strategies = useRead('GET /api/user/strategies');
  const others = (strategies.data?.data.strategies ?? []).filter(
    (strategy) => strategy.id !== strategyId && strategy.isActive,
  );
  const [chosen, setChosen] = useState<string>();
  const target = others.find((strategy) => strategy.id === chosen) ?? others[0];
  const action = useAction<InvestmentResponse>('investment.move');
  if (!target) return <Loaded query={strategies}>{() => null}</Loaded>;
  const move = async () => {
    const body = { strategyId: target.id };
    const result = await action.run({ id, ...body }, async (idempotencyKey) => {
      const { data } = await api.call('PUT /api/user/investments/{id}', {
        path: { id },
        body,
        idempotencyKey,
      });
      return data;
    });
    if (!result) return;
    notifications.show({ message: T.moved(result.strategyName), color: 'green' });
    await queries.invalidateQueries();
    await navigate(`/positions/${result.id}`);
  };
  return (
    <div className={styles.form}>
      <NativeSelect
        label={T.moveTo}
        value={target.id}
        onChange={(event) => setChosen(event.currentTarget.value)}
        data={others.map(({ id: value, name }) => ({ value, label: name }))}
      />
      <ActionPanel
        sentence={T.moveSentence(formatSum(currentValue), target.name)}
        label={T.moving}
        action={action}
        onAct={move}
        outcome={({ strategyName }) => T.moved(strategyName)}
      />
    </div>
  );
}

function Cancelling({ investment: { id, firstPrincipal } }: { investment: Investment }) {
  const queries = useQueryClient();
  const action = useAction<CancelledInvestmentResponse>('investment.cancel');
  const cancel = async () => {
    const result = await action.run(id, async (idempotencyKey) => {
      const { data } = await api.call('POST /api/user/investments/{id}/cancel', {
        path: { id },
        idempotencyKey,
      });
      return data;
    });
    if (!result) return;
    notifications.show({ message: T.cancelled, color: 'green' });
    await queries.invalidateQueries();
  };
  return (
    <ActionPanel
      sentence={T.cancelSentence(formatSum(firstPrincipal))}
      asks
      label={T.cancelPosition}
      color="red"
      action={action}
      onAct={cancel}
      outcome={() => T.cancelled}
    />
  );
}
