import { Badge } from '@mantine/core';
import { useWaitingApprovals, type WaitingApproval } from '../../api/approvals.ts';
import { api, type Answer } from '../../api/client.ts';
import { useQueues } from '../../api/queues.ts';
import { isWaiting } from '../../api/refused-state.ts';
import { withStepUp } from '../../api/step-up.ts';
import type { Column } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatDay, formatPercent } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { choiceOf, ListPage } from '../../ui/list-page.tsx';
import { Moment, Money } from '../../ui/values.tsx';
import { Actions, type DeskAction } from '../desk/actions.tsx';

const T = inLanguage({
  title: ['Yield reports', 'Ertragsberichte'],
  strategy: ['Strategy', 'Strategie'],
  day: ['Day', 'Tag'],
  state: ['State', 'Zustand'],
  apy: ['Reported a year', 'Gemeldet im Jahr'],
  used: ['so far', 'bisher'],
  realised: ['Received', 'Erhalten'],
  expected: ['expected', 'erwartet'],
  beyond: ['Beyond the tolerance', 'Außerhalb der Toleranz'],
  reported: ['Reported', 'Gemeldet'],
  decidedBy: ['Decided by', 'Entschieden von'],
  action: ['Next step', 'Nächster Schritt'],
  empty: ['No report is here.', 'Hier ist kein Bericht.'],
  rate: ['rate', 'Satz'],
  realisedAmount: ['received amount', 'erhaltener Betrag'],
  accept: ['Accept', 'Akzeptieren'],
  acceptEffect: [
    'A second admin is asked to accept the report; it then takes effect as if it had just been received.',
    'Ein zweiter Admin wird gebeten, den Bericht zu akzeptieren; er wirkt dann, als wäre er gerade eingegangen.',
  ],
  accepted: ['Accepted: the report takes effect', 'Akzeptiert: der Bericht wirkt'],
  reject: ['Reject', 'Ablehnen'],
  rejectEffect: [
    'The report never takes effect, and the rate that is used so far remains.',
    'Der Bericht wirkt nie, und der bisher verwendete Satz bleibt.',
  ],
  rejected: ['Rejected: the report never takes effect', 'Abgelehnt: der Bericht wirkt nie'],
  reason: ['Reason', 'Grund'],
  waits: [
    (by: string) => `It waits for the approval of a second admin, which ${by} has requested.`,
    (by: string) => `Er wartet auf die Freigabe eines zweiten Admins, die ${by} beantragt hat.`,
  ],
  unknown: [
    'It is not known yet whether a second admin decides about it.',
    'Es ist noch nicht bekannt, ob ein zweiter Admin darüber entscheidet.',
  ],
  inApproval: ['Waits for a second admin', 'Wartet auf zweiten Admin'],
});

const STATUS = inLanguage({
  waiting: ['To decide', 'Zu entscheiden'],
  rate: ['Sets the rate', 'Setzt den Satz'],
  fold: ['In the next value', 'Im nächsten Wert'],
  ignored: ['Without effect', 'Ohne Wirkung'],
  rejected: ['Rejected', 'Abgelehnt'],
  all: ['All', 'Alle'],
});
const COLOURS = {
  waiting: 'yellow',
  rate: 'green',
  fold: 'green',
  ignored: 'gray',
  rejected: 'red',
} as const;

type Given = Answer<'GET /api/admin/yield-reports'>;
type Report = Given['data'][number];
const DEFAULTS = { status: 'waiting' };

/** The yields that the custody provider reports, and the decisions about those beyond a tolerance. */
export default function YieldReportsPage() {
  const waiting = useWaitingApprovals('yield-report');
  const queues = useQueues();
  const columnsOf = (status: string) => [
    ...COLUMNS,
    ...(status === 'waiting' ? [] : [DECIDED_BY]),
    stateColumn(waiting.of),
    ...(status === 'waiting' || status === 'all' ? [actionColumn(waiting.of)] : []),
  ];
  return (
    <ListPage<Report, Given, 'status'>
      list="yield-reports"
      title={T.title}
      defaults={DEFAULTS}
      tabs={{ name: 'status', titles: STATUS, counts: { waiting: queues?.yieldReports?.count } }}
      columns={({ status }) => columnsOf(status)}
      empty={T.empty}
      read={({ status }, page, signal) =>
        api.call('GET /api/admin/yield-reports', {
          query: { ...page, status: choiceOf(STATUS, status) },
          signal,
        })
      }
    />
  );
}

const COLUMNS: readonly Column<Report>[] = [
  { key: 'strategy', header: T.strategy, cell: ({ strategyId }) => <strong>{strategyId}</strong> },
  { key: 'day', header: T.day, cell: ({ day }) => formatDay(day) },
  {
    ...{ key: 'apy', header: T.apy, align: 'right' },
    cell: ({ apy, usedApy }) => (
      <>
        {formatPercent(apy)}
        <div className="beneath">
          {T.used} {formatPercent(usedApy)}
        </div>
      </>
    ),
  },
  {
    ...{ key: 'realised', header: T.realised, align: 'right' },
    cell: ({ realisedAmount, expectedAmount }) =>
      realisedAmount && (
        <>
          <Money amount={realisedAmount} currency="USDC" isExact />
          {expectedAmount && (
            <div className="beneath">
              {T.expected} <Money amount={expectedAmount} currency="USDC" isExact />
            </div>
          )}
        </>
      ),
  },
  {
    ...{ key: 'beyond', header: T.beyond, isSecondary: true },
    cell: ({ waitingFor }) => waitingFor.map((what) => T[what]).join(', '),
  },
  {
    ...{ key: 'reported', header: T.reported, isSecondary: true },
    cell: ({ reportedAt }) => <Moment at={reportedAt} />,
  },
];

const DECIDED_BY: Column<Report> = {
  ...{ key: 'decidedBy', header: T.decidedBy, isSecondary: true },
  cell: ({ decidedBy }) => decidedBy,
};

type WaitingOf = (id: string) => WaitingApproval;

const stateColumn = (waitingOf: WaitingOf): Column<Report> => ({
  ...{ key: 'state', header: T.state },
  cell: ({ id, status }) => (
    <span className="button-row">
      <Badge variant="light" color={COLOURS[status]}>
        {STATUS[status]}
      </Badge>
      {status === 'waiting' && typeof waitingOf(id) === 'object' && (
        <Badge variant="light" color="yellow">
          {T.inApproval}
        </Badge>
      )}
    </span>
  ),
});

const actionColumn = (waitingOf: WaitingOf): Column<Report> => ({
  ...{ key: 'action', header: T.action },
  cell: (report) => {
    const { id, status } = report;
    if (status !== 'waiting') return null;
    const actorOf = async () => {
      const { data } = await api.call('GET /api/admin/yield-reports', {
        query: { status: 'all', limit: 100 },
      });
      return data.find((other) => other.id === id)?.decidedBy;
    };
    return (
      <Actions
        isCompact
        actions={actionsOf(report, waitingOf(id))}
        areas={['yield-reports', 'approvals', 'strategies']}
        actorOf={actorOf}
      />
    );
  },
});

function actionsOf(report: Report, approval: WaitingApproval): DeskAction[] {
  const { id, strategyId, day, apy, realisedAmount } = report;
  const facts = (
    <Facts
      of={[
        [T.strategy, strategyId],
        [T.day, formatDay(day)],
        [T.apy, formatPercent(apy)],
        [
          T.realised,
          realisedAmount && <Money key="realised" amount={realisedAmount} currency="USDC" isExact />,
        ],
      ]}
    />
  );
  return [
    {
      ...{ name: 'accept', label: T.accept, effect: T.acceptEffect, done: T.accepted, facts },
      blocked: approval && (approval === 'unknown' ? T.unknown : T.waits(approval.requestedBy)),
      send: (_, idempotencyKey) =>
        withStepUp({ action: 'yield-report.accept', details: { id } }, async (token) => {
          const request = { path: { id }, idempotencyKey, ...token };
          const { data } = await api.call('POST /api/admin/yield-reports/{id}/accept', request);
          return isWaiting(data) ? { isWaiting: true } : undefined;
        }),
    },
    {
      ...{ name: 'reject', label: T.reject, effect: T.rejectEffect, done: T.rejected, facts },
      isDangerous: true,
      fields: [{ name: 'reason', label: T.reason, kind: 'reason' }],
      send: async ({ reason = '' }, idempotencyKey) => {
        const request = { path: { id }, body: { reason }, idempotencyKey };
        await api.call('POST /api/admin/yield-reports/{id}/reject', request);
      },
    },
  ];
}
