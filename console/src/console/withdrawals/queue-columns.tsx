import { Button } from '@mantine/core';
import type { WaitingApprovals } from '../../api/approvals.ts';
import type { QueuedWithdrawal, Status, Withdrawal } from '../../api/withdrawals.ts';
import type { Column } from '../../ui/data-table.tsx';
import { inLanguage } from '../../ui/language.ts';
import { Age, Moment, Money, Shortened } from '../../ui/values.tsx';
import type { Action, ActionName } from './actions.ts';
import { StateBadges } from './state-badges.tsx';
import { ACTION, EFFECT } from './texts.ts';

const T = inLanguage({
  user: ['User', 'Nutzer'],
  amount: ['Amount', 'Betrag'],
  to: ['To', 'An'],
  age: ['Age', 'Alter'],
  state: ['State', 'Zustand'],
  balance: ['Available', 'Verfügbar'],
  limit: ['Left today', 'Heute noch frei'],
  takenBy: ['Taken by', 'Übernommen von'],
  me: ['me', 'mir'],
  completedAt: ['Completed', 'Abgeschlossen'],
  action: ['Next step', 'Nächster Schritt'],
});

type Row = Withdrawal | QueuedWithdrawal;

interface Context {
  status: Status;
  me: string;
  waiting: WaitingApprovals;
  nextOf: (row: Row) => Action | undefined;
  run: (name: ActionName, row: Row) => void;
  runningId: string | undefined;
}

export function columnsOf({ status, me, waiting, nextOf, run, runningId }: Context): Column<Row>[] {
  const columns: Column<Row>[] = [
    { key: 'user', header: T.user, cell: ({ userEmail }) => userEmail },
    {
      ...{ key: 'amount', header: T.amount, align: 'right', sort: 'amount' },
      cell: ({ amount }) => <Money amount={amount} />,
    },
    {
      ...{ key: 'to', header: T.to, isSecondary: true },
      cell: ({ destinationAddress }) => <Shortened value={destinationAddress} />,
    },
    {
      ...{ key: 'age', header: T.age, sort: 'createdAt' },
      cell: ({ createdAt }) => <Age since={createdAt} />,
    },
    {
      ...{ key: 'state', header: T.state },
      cell: (row) => <StateBadges withdrawal={row} approval={waiting.of(row.id)} />,
    },
  ];
  if (status === 'pending') {
    columns.push(
      {
        ...{ key: 'balance', header: T.balance, align: 'right', isSecondary: true },
        cell: (row) => ('userBalance' in row ? <Money amount={row.userBalance.available} /> : null),
      },
      {
        ...{ key: 'limit', header: T.limit, align: 'right', isSecondary: true },
        cell: (row) => ('limits' in row ? <Money amount={row.limits.remainingToday} /> : null),
      },
    );
  } else if (status !== 'approved') {
    columns.push({
      ...{ key: 'takenBy', header: T.takenBy, isSecondary: true },
      cell: ({ takenBy }) => (takenBy === me ? T.me : takenBy),
    });
  }
  if (status === 'completed') {
    columns.push({
      ...{ key: 'completedAt', header: T.completedAt, sort: 'completedAt', isSecondary: true },
      cell: ({ completedAt }) => completedAt && <Moment at={completedAt} />,
    });
    return columns;
  }
  if (status === 'rejected') return columns;
  columns.push({
    ...{ key: 'action', header: T.action },
    cell: (row) => <NextStep row={row} action={nextOf(row)} run={run} isRunning={runningId === row.id} />,
  });
  return columns;
}

interface NextStepProps {
  row: Row;
  action: Action | undefined;
  run: Context['run'];
  isRunning: boolean;
}

function NextStep({ row, action, run, isRunning }: NextStepProps) {
  if (!action) return null;
  const { name, blocked } = action;
  return (
    <Button
      size="xs"
      variant={blocked ? 'default' : 'filled'}
      loading={isRunning}
      title={blocked ?? EFFECT[name]}
      {...(blocked ? { 'aria-disabled': true } : {})}
      onClick={() => !blocked && run(name, row)}
    >
      {ACTION[name]}
    </Button>
  );
}
