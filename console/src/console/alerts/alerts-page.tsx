import { Badge, Button, Group, Paper, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.ts';
import { REFRESH_MS } from '../../api/queries.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { MorePages } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { visibleText } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { pageOf } from '../../ui/pages.ts';
import { ReasonField } from '../../ui/reason-field.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { Age, Grouped, Moment } from '../../ui/values.tsx';
import { RecordLink } from '../record-link.tsx';
import { usePermits } from '../session.ts';
import { textsOf } from './texts-of.ts';

const T = inLanguage({
  title: ['Alerts', 'Warnungen'],
  open: ['Open', 'Offen'],
  resolved: ['Resolved', 'Erledigt'],
  empty: ['No alert.', 'Keine Warnung.'],
  nextStep: ['Next step', 'Nächster Schritt'],
  subject: ['Concerns', 'Betrifft'],
  transaction: ['Transaction', 'Transaktion'],
  raised: ['Raised', 'Ausgelöst'],
  wording: ['In full', 'Im Wortlaut'],
  system: ['the service: the condition has ended', 'dem Dienst: der Zustand ist vorbei'],
  resolvedBy: ['Resolved by', 'Erledigt von'],
  reason: ['Reason', 'Grund'],
  resolve: ['Resolve', 'Erledigen'],
  effect: [
    'The alert is closed with the reason. An admin who has acted on its subject cannot resolve it.',
    'Die Warnung wird mit dem Grund geschlossen. Ein Admin, der am Vorgang beteiligt war, kann sie nicht erledigen.',
  ],
  what: ['What was done?', 'Was wurde getan?'],
  missing: ['Enter what was done.', 'Geben Sie ein, was getan wurde.'],
  done: ['The alert is resolved', 'Die Warnung ist erledigt'],
});

type Alert = Answer<'GET /api/admin/alerts'>['data'][number];
const PAGE_ROWS = 20;

/** Conditions that an operator has to act on, each with the recommended next step. */
export default function AlertsPage() {
  const [url, setUrl] = useUrlState({ tab: 'open', page: '1' });
  const status = url.tab === 'resolved' ? 'resolved' : 'open';
  const page = pageOf(url.page);
  const list = useQuery({
    queryKey: ['alerts', status, page],
    queryFn: () => api.call('GET /api/admin/alerts', { query: { status, page, limit: PAGE_ROWS } }),
    refetchInterval: REFRESH_MS,
  });
  const mayResolve = usePermits('withdrawals:approve');
  const [asked, setAsked] = useState<Alert>();
  return (
    <>
      <PageHead title={T.title} />
      <Tabs
        label={T.title}
        tabs={[
          { id: 'open', title: T.open, ...(status === 'open' ? { count: list.data?.pagination.total } : {}) },
          { id: 'resolved', title: T.resolved },
        ]}
        selected={status}
        hrefOf={(id) => (id === 'open' ? '?' : `?tab=${id}`)}
      />
      {list.error && !list.data && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.data?.data.length === 0 && <div className="empty list-gap">{T.empty}</div>}
      {list.data?.data.map((alert) => (
        <AlertCard key={alert.id} alert={alert} onResolve={mayResolve ? () => setAsked(alert) : undefined} />
      ))}
      <MorePages pagination={list.data?.pagination} onPage={(next) => setUrl({ page: String(next) })} />
      {asked && <ResolveForm alert={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function AlertCard({ alert, onResolve }: { alert: Alert; onResolve: (() => void) | undefined }) {
  const { subject, createdAt, resolvedAt, resolvedBy, reason } = alert;
  const { name, message, nextStep, stepLanguage, wording } = textsOf(alert);
  return (
    <Paper withBorder p="md" mt="md" component="article">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          {name}
        </Title>
        <Badge variant="light" color={resolvedAt ? 'gray' : 'red'}>
          {resolvedAt ? T.resolved : T.open}
        </Badge>
      </Group>
      <Text mb="sm" className="anywhere">
        {visibleText(message)}
      </Text>
      <Text mb="sm">
        <strong>{T.nextStep}:</strong> <span lang={stepLanguage}>{visibleText(nextStep)}</span>
      </Text>
      <Facts
        of={[
          [T.subject, <RecordLink key="subject" kind={subject.type} id={subject.id} />],
          [
            T.transaction,
            subject.txHash && <Grouped key="hash" value={subject.txHash} label={T.transaction} />,
          ],
          [
            T.raised,
            <span key="raised">
              <Moment at={createdAt} /> (<Age since={createdAt} />)
            </span>,
          ],
          [
            T.wording,
            wording && (
              <span key="wording" lang="en">
                {visibleText(wording)}
              </span>
            ),
          ],
          [T.resolvedBy, resolvedBy === 'system' ? T.system : resolvedBy],
          [T.reason, resolvedBy === 'system' ? undefined : reason],
        ]}
      />
      {!resolvedAt && onResolve && (
        <Button mt="md" variant="default" onClick={onResolve}>
          {T.resolve}
        </Button>
      )}
    </Paper>
  );
}

function ResolveForm({ alert, onClose }: { alert: Alert; onClose: () => void }) {
  const [text, setText] = useState('');
  const queries = useQueryClient();
  const reason = text.trim();
  const resolve = async () => {
    await api.call('POST /api/admin/alerts/{id}/resolve', { path: { id: alert.id }, body: { reason } });
    notifications.show({ color: 'green', message: T.done });
    await queries.invalidateQueries({ queryKey: ['alerts'] });
  };
  return (
    <ActionDialog
      title={textsOf(alert).name}
      effect={T.effect}
      confirm={T.resolve}
      blocked={reason === '' ? T.missing : undefined}
      onConfirm={resolve}
      onClose={onClose}
    >
      <Text size="sm" className="anywhere">
        {visibleText(textsOf(alert).message)}
      </Text>
      <ReasonField label={T.what} value={text} onChange={setText} />
    </ActionDialog>
  );
}
