import { Alert, Badge, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useWaitingApprovals } from '../../api/approvals.ts';
import { api, type Answer } from '../../api/client.ts';
import { REFRESH_MS } from '../../api/queries.ts';
import { useRead } from '../../api/use-read.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { Failure } from '../../ui/failure.tsx';
import { formatCount, formatDay, visibleText } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Shortcuts } from '../../ui/list-keys.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { pageOf, paginationOf } from '../../ui/pages.ts';
import { Section } from '../../ui/section.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { Moment } from '../../ui/values.tsx';
import { ActionButton } from '../action-button.tsx';
import { recordText } from '../record-names.ts';
import { germanInvariant } from '../service-texts.ts';
import { Invariants } from './invariants.tsx';
import { PAUSE, usePause } from './pause.ts';
import { PauseForm, type PauseAction } from './pause-form.tsx';
import { STATUS, STATUS_COLOURS } from './texts.ts';

const T = inLanguage({
  title: ['Integrity', 'Integrität'],
  check: ['Check now', 'Jetzt prüfen'],
  checkEffect: [
    'Checks all invariants of the ledger now. A new violation that concerns users’ money pauses withdrawals.',
    'Prüft jetzt alle Invarianten des Hauptbuchs. Eine neue Verletzung, die Geld der Nutzer betrifft, hält Auszahlungen an.',
  ],
  pause: ['Pause withdrawals', 'Auszahlungen anhalten'],
  resume: ['Resume withdrawals', 'Auszahlungen fortsetzen'],
  paused: [
    (by: string, reason: string) => `Withdrawals are paused by ${by} (${reason}), since`,
    (by: string, reason: string) => `Auszahlungen sind angehalten von ${by} (${reason}), seit`,
  ],
  bySystem: ['the service', 'dem Dienst'],
  notPaused: ['Nothing is paused.', 'Es ist nichts angehalten.'],
  open: ['Withdrawals are open.', 'Auszahlungen laufen.'],
  waits: [
    (by: string) => `${by} has requested to resume them; a second admin has to approve it.`,
    (by: string) => `${by} hat beantragt, sie fortzusetzen; ein zweiter Admin muss das freigeben.`,
  ],
  result: ['Result of the check', 'Ergebnis der Prüfung'],
  runs: ['Checks', 'Prüfungen'],
  empty: ['No check has run yet.', 'Es lief noch keine Prüfung.'],
  at: ['At', 'Zeit'],
  status: ['Status', 'Stand'],
  violated: ['Violated', 'Verletzt'],
  entries: ['Entries', 'Buchungszeilen'],
  occasion: ['Occasion', 'Anlass'],
  night: [(day: string) => `night of ${day}`, (day: string) => `Nacht des ${day}`],
  requested: ['on request', 'auf Anforderung'],
  pausedNow: ['Paused withdrawals', 'Hat Auszahlungen angehalten'],
  acknowledged: ['Acknowledged by', 'Anerkannt von'],
  yes: ['yes', 'ja'],
});

type Run = Answer<'GET /api/admin/integrity/runs'>['data'][number];
const PAGE_ROWS = 20;
const RUNS = 'GET /api/admin/integrity/runs';

const COLUMNS: readonly Column<Run>[] = [
  { key: 'at', header: T.at, cell: ({ checkedAt }) => <Moment at={checkedAt} /> },
  {
    ...{ key: 'status', header: T.status },
    cell: ({ status }) => (
      <Badge variant="light" color={STATUS_COLOURS[status]}>
        {STATUS[status]}
      </Badge>
    ),
  },
  {
    ...{ key: 'violated', header: T.violated },
    cell: ({ broken }) =>
      broken
        .map(({ name, breakCount }) => `${germanInvariant(name) ?? name} (${formatCount(breakCount)})`)
        .join(', '),
  },
  {
    ...{ key: 'entries', header: T.entries, align: 'right', isSecondary: true },
    cell: ({ entries }) => formatCount(entries),
  },
  {
    ...{ key: 'night', header: T.occasion },
    cell: ({ night }) => (night ? T.night(formatDay(night)) : T.requested),
  },
  { key: 'paused', header: T.pausedNow, isSecondary: true, cell: ({ paused }) => paused && T.yes },
  {
    ...{ key: 'acknowledged', header: T.acknowledged, isSecondary: true },
    cell: ({ acknowledgedBy }) => acknowledgedBy,
  },
];

/** Whether the invariants of the ledger hold: the checks so far, and one on request. */
export default function IntegrityPage() {
  const queries = useQueryClient();
  const [url, setUrl] = useUrlState({ page: '1' });
  const { data: pause } = usePause();
  const [asked, setAsked] = useState<'check' | PauseAction>();
  const runs = useRead(
    RUNS,
    { query: { page: pageOf(url.page), limit: PAGE_ROWS } },
    { keepPrevious: true, refetchInterval: () => REFRESH_MS },
  );
  // A check is no query, because events repeat queries: each check reads the whole ledger, and can pause withdrawals.
  const [result, setResult] = useState<Answer<'GET /api/admin/integrity'>['data']>();
  const refresh = () =>
    Promise.all([PAUSE, RUNS].map((area) => queries.invalidateQueries({ queryKey: [area] })));
  const checkNow = async () => {
    try {
      setResult((await api.call('GET /api/admin/integrity')).data);
    } finally {
      await refresh();
    }
  };
  return (
    <>
      <PageHead title={T.title} />
      <Group mb="md" align="start">
        <ActionButton needs="audit:read" onClick={() => setAsked('check')}>
          {T.check}
        </ActionButton>
        <ActionButton needs="*" variant="default" onClick={() => setAsked('pause')}>
          {T.pause}
        </ActionButton>
        <ActionButton
          needs="*"
          variant="default"
          blocked={pause === null ? T.notPaused : undefined}
          onClick={() => setAsked('resume')}
        >
          {T.resume}
        </ActionButton>
      </Group>
      <PauseState />
      {result && (
        <Section title={T.result}>
          <Invariants check={result} />
        </Section>
      )}
      <Section title={T.runs}>
        <DataTable<Run>
          caption={T.runs}
          rows={runs.data?.data}
          columns={COLUMNS}
          idOf={({ id }) => id}
          empty={T.empty}
          error={runs.data ? undefined : runs.error}
          retry={() => void runs.refetch()}
          {...paginationOf(runs.data?.pagination, setUrl)}
        />
      </Section>
      <Shortcuts />
      {asked === 'check' && (
        <ActionDialog
          title={T.check}
          effect={T.checkEffect}
          confirm={T.check}
          onConfirm={checkNow}
          onClose={() => setAsked(undefined)}
        />
      )}
      {(asked === 'pause' || asked === 'resume') && (
        <PauseForm action={asked} onDone={refresh} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}

/** Whether withdrawals are paused, and whether a second admin has to approve that they are resumed. */
function PauseState() {
  const { data: pause, error, refetch } = usePause();
  const approval = useWaitingApprovals('withdrawal-pause').of(pause?.id ?? '');
  return (
    <>
      {error && <Failure error={error} retry={() => void refetch()} />}
      {pause && (
        <Alert color="red" mb="md" role="status">
          {pause.pausedBy === 'system'
            ? T.paused(T.bySystem, recordText(pause.reason ?? ''))
            : T.paused(pause.pausedBy, visibleText(pause.reason ?? ''))}{' '}
          <Moment at={pause.since} />
          {typeof approval === 'object' && <Text size="sm">{T.waits(approval.requestedBy)}</Text>}
        </Alert>
      )}
      {pause === null && (
        <Alert color="green" mb="md" role="status">
          {T.open}
        </Alert>
      )}
    </>
  );
}
