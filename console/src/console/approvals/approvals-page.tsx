import { Badge, Button, Group, Paper, Text, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { approve, reject, useApproval, useApprovals, withdraw, type Approval } from '../../api/approvals.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { MorePages } from '../../ui/data-table.tsx';
import { textOf } from '../../ui/error-texts.ts';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { visibleText } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { pageOf } from '../../ui/pages.ts';
import { ReasonField } from '../../ui/reason-field.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { Age, Moment } from '../../ui/values.tsx';
import { APPROVAL_AREAS } from '../live.ts';
import { RecordLink } from '../record-link.tsx';
import { useAdmin } from '../session.ts';
import { DONE, EFFECT, OUTCOME } from '../withdrawals/texts.ts';
import { Differences } from './differences.tsx';
import { RECORD_REJECT, RECORD_REJECT_EFFECT, RECORD_REJECTED, STATE } from './texts.ts';
import { titleOf } from './title.ts';

const T = inLanguage({
  title: ['Approvals', 'Freigaben'],
  one: ['Approval', 'Freigabe'],
  inbox: ['To decide', 'Zu entscheiden'],
  mine: ['Requested by me', 'Von mir beantragt'],
  all: ['All by colleagues', 'Alle von Kollegen'],
  empty: ['Nothing waits for you.', 'Nichts wartet auf Sie.'],
  none: ['No approval has been requested.', 'Es wurde keine Freigabe beantragt.'],
  record: ['Concerns', 'Betrifft'],
  reason: ['Reason', 'Grund'],
  requestedBy: ['Requested by', 'Beantragt von'],
  expires: ['Expires', 'Läuft ab'],
  decidedBy: ['Decided by', 'Entschieden von'],
  note: ['Note', 'Notiz'],
  failure: ['Refused, because', 'Abgelehnt, weil'],
  approve: ['Approve', 'Freigeben'],
  reject: ['Reject', 'Ablehnen'],
  withdraw: ['Withdraw the request', 'Antrag zurückziehen'],
  approveEffect: [
    'The change is made at once, as it is shown here. Ask the requester by another way if anything is unusual.',
    'Die Änderung wird sofort ausgeführt, wie sie hier steht. Fragen Sie den Antragsteller auf anderem Weg, wenn etwas ungewöhnlich ist.',
  ],
  rejectEffect: [
    'Nothing is changed, and the requester reads the reason.',
    'Nichts wird geändert, und der Antragsteller liest den Grund.',
  ],
  withdrawEffect: ['Nothing is changed.', 'Nichts wird geändert.'],
  reasonMissing: ['Enter the reason.', 'Geben Sie den Grund ein.'],
  optionalNote: ['Note (optional)', 'Notiz (freiwillig)'],
  approved: ['Approved: the change was made', 'Freigegeben: die Änderung wurde ausgeführt'],
  rejected: ['Rejected: nothing was changed', 'Abgelehnt: nichts wurde geändert'],
  withdrawn: ['Withdrawn: nothing was changed', 'Zurückgezogen: nichts wurde geändert'],
  refused: ['Nothing was changed', 'Nichts wurde geändert'],
});

const TABS = ['inbox', 'mine', 'all'] as const;
type Tab = (typeof TABS)[number];
type Decision = 'approve' | 'reject' | 'withdraw';
const QUERIES = {
  inbox: { status: 'pending' },
  mine: { mine: true, status: 'all' },
  all: { status: 'all' },
} as const;

/** What waits for a second admin, with the record before and after the change; or one approval, whose id is in the address. */
export default function ApprovalsPage() {
  const { id } = useParams();
  return id ? <OneApproval id={id} /> : <Lists />;
}

function Lists() {
  const [url, setUrl] = useUrlState({ tab: 'inbox', page: '1' });
  const selected = TABS.find((candidate) => candidate === url.tab) ?? 'inbox';
  const waiting = useApprovals(QUERIES.inbox);
  const page = pageOf(url.page);
  const list = useApprovals({ ...QUERIES[selected], page });
  return (
    <>
      <PageHead title={T.title} />
      <Tabs<Tab>
        label={T.title}
        tabs={[
          { id: 'inbox', title: T.inbox, count: waiting.data?.pagination.total },
          { id: 'mine', title: T.mine },
          { id: 'all', title: T.all },
        ]}
        selected={selected}
        hrefOf={(id) => (id === 'inbox' ? '?' : `?tab=${id}`)}
      />
      {list.error && !list.data && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.data?.data.length === 0 && (
        <div className="empty list-gap">{selected === 'inbox' ? T.empty : T.none}</div>
      )}
      <Cards approvals={list.data?.data ?? []} />
      <MorePages pagination={list.data?.pagination} onPage={(next) => setUrl({ page: String(next) })} />
    </>
  );
}

function OneApproval({ id }: { id: string }) {
  const { data, error, refetch } = useApproval(id);
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : null;
  return (
    <>
      <Link to="/approvals">← {T.title}</Link>
      <PageHead title={T.one} />
      <Cards approvals={[data]} />
    </>
  );
}

/** The dialog belongs to the list, not to a card, so that it stays open when the list is read again without its approval. */
function Cards({ approvals }: { approvals: readonly Approval[] }) {
  const [asked, setAsked] = useState<{ decision: Decision; approval: Approval }>();
  return (
    <>
      {approvals.map((approval) => (
        <ApprovalCard
          key={approval.id}
          approval={approval}
          onDecide={(decision) => setAsked({ decision, approval })}
        />
      ))}
      {asked && (
        <DecisionForm
          {...asked}
          onClose={() => setAsked((current) => (current === asked ? undefined : current))}
        />
      )}
    </>
  );
}

/** Types of records whose label names the record. Labels of other types say something else, such as the resolution of a break. */
const NAMED_BY_LABEL: ReadonlySet<string> = new Set(['user', 'withdrawal', 'yield-report']);
const linkLabel = ({ type, label }: Approval['subject']) => (NAMED_BY_LABEL.has(type) ? { label } : {});

interface ApprovalCardProps {
  approval: Approval;
  onDecide: (decision: Decision) => void;
}

function ApprovalCard({ approval, onDecide }: ApprovalCardProps) {
  const { kind, subject, change, reason, status, requestedBy, requestedAt, expiresAt } = approval;
  const { email } = useAdmin();
  const isMine = requestedBy === email;
  return (
    <Paper withBorder p="md" mt="md" component="article">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {titleOf(approval)}
        </Title>
        <Badge
          variant="light"
          color={status === 'pending' ? 'yellow' : status === 'approved' ? 'green' : 'gray'}
        >
          {STATE[status]}
        </Badge>
      </Group>
      <Differences {...change} />
      <Facts
        of={[
          [T.record, <RecordLink key="record" kind={subject.type} id={subject.id} {...linkLabel(subject)} />],
          [T.reason, reason],
          [
            T.requestedBy,
            <span key="by">
              {requestedBy}, <Moment at={requestedAt} /> (<Age since={requestedAt} />)
            </span>,
          ],
          [T.expires, status === 'pending' && expiresAt && <Moment key="expires" at={expiresAt} />],
          [T.decidedBy, approval.decidedBy],
          [T.note, approval.note],
          [T.failure, approval.failure && textOf(approval.failure)],
        ]}
      />
      {status === 'pending' && (
        <Group mt="md">
          {!isMine && <Button onClick={() => onDecide('approve')}>{T.approve}</Button>}
          {isMine && !isRecord(kind) ? (
            <Button variant="default" onClick={() => onDecide('withdraw')}>
              {T.withdraw}
            </Button>
          ) : (
            <Button variant="default" onClick={() => onDecide('reject')}>
              {rejectTexts(kind).action}
            </Button>
          )}
        </Group>
      )}
    </Paper>
  );
}

interface DecisionFormProps {
  decision: Decision;
  approval: Approval;
  onClose: () => void;
}

interface DecisionTexts {
  action: string;
  effect: string;
  done: string;
}

type Kind = Approval['kind'];
const isRecord = (kind: Kind): kind is keyof typeof RECORD_REJECT => kind in RECORD_REJECT;

function rejectTexts(kind: Kind): DecisionTexts {
  if (!isRecord(kind)) return { action: T.reject, effect: T.rejectEffect, done: T.rejected };
  const action = RECORD_REJECT[kind];
  return kind === 'withdrawal'
    ? { action, effect: EFFECT.reject, done: DONE.reject }
    : { action, effect: RECORD_REJECT_EFFECT[kind], done: RECORD_REJECTED[kind] };
}

function textsOf(decision: Decision, kind: Kind): DecisionTexts {
  if (decision === 'reject') return rejectTexts(kind);
  return decision === 'approve'
    ? { action: T.approve, effect: T.approveEffect, done: T.approved }
    : { action: T.withdraw, effect: T.withdrawEffect, done: T.withdrawn };
}

/**
 * Shows what a decision has led to. The rejection of a withdrawal that may be paid is not done at once: `answered` is then a new
 * approval of that rejection, which waits for another admin.
 */
function showDecided(asked: Approval, answered: Approval, done: string): void {
  const { id, status, failure } = answered;
  if (failure)
    notifications.show({ color: 'red', title: T.refused, message: textOf(failure), autoClose: false });
  else if (status === 'pending' || id !== asked.id)
    notifications.show({ color: 'yellow', message: OUTCOME.waiting, autoClose: 8000 });
  else notifications.show({ color: 'green', message: done });
}

function DecisionForm({ decision, approval, onClose }: DecisionFormProps) {
  const { id, requestedAt, kind } = approval;
  const [text, setText] = useState('');
  const queries = useQueryClient();
  const entered = text.trim();
  const texts = textsOf(decision, kind);
  const send = () => {
    if (decision === 'approve') return approve(id, { requestedAt, ...(entered ? { note: entered } : {}) });
    return decision === 'reject' ? reject(id, entered) : withdraw(id);
  };
  const confirm = async () => {
    try {
      showDecided(approval, await send(), texts.done);
    } finally {
      await Promise.all(APPROVAL_AREAS.map((area) => queries.invalidateQueries({ queryKey: [area] })));
    }
  };
  return (
    <ActionDialog
      title={titleOf(approval)}
      effect={texts.effect}
      confirm={texts.action}
      isDangerous={decision === 'reject'}
      blocked={decision === 'reject' && entered === '' ? T.reasonMissing : undefined}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Differences {...approval.change} />
      {approval.reason && (
        <Text size="sm">
          {T.reason}: {visibleText(approval.reason)}
        </Text>
      )}
      {decision === 'approve' && (
        <TextInput
          label={T.optionalNote}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          data-autofocus
        />
      )}
      {decision === 'reject' && <ReasonField label={T.reason} value={text} onChange={setText} />}
    </ActionDialog>
  );
}
