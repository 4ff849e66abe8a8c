import { Box, Group, Paper, Title } from '@mantine/core';
import { Link } from 'react-router';
import { api, type Answer, type RequestOf } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { Pages } from '../../ui/data-table.tsx';
import { ExportButton } from '../../ui/export-button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { FilterField } from '../../ui/filter-field.tsx';
import { visibleText } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Shortcuts } from '../../ui/list-keys.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { pageOf, paginationOf } from '../../ui/pages.ts';
import { SavedViews } from '../../ui/saved-views.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { Moment } from '../../ui/values.tsx';
import { Differences } from '../approvals/differences.tsx';
import { RecordLink } from '../record-link.tsx';
import { actionName, codeName, recordName } from '../record-names.ts';

const T = inLanguage({
  title: ['Audit log', 'Audit-Log'],
  empty: ['No entry matches.', 'Kein Eintrag passt.'],
  admin: ['Admin', 'Admin'],
  adminMeaning: ['E-mail or system', 'E-Mail oder system'],
  action: ['Action', 'Aktion'],
  subject: ['Record', 'Vorgang'],
  subjectMeaning: ['kind:id', 'Art:Id'],
  from: ['From', 'Von'],
  to: ['To', 'Bis'],
  at: ['At', 'Zeit'],
  reason: ['Reason', 'Grund'],
  trace: ['Trace', 'Trace'],
  all: ['All entries about it', 'Alle Einträge dazu'],
});

type Entry = Answer<'GET /api/admin/audit'>['data'][number];
type Query = NonNullable<RequestOf<'GET /api/admin/audit'>['query']>;
const PAGE_ROWS = 25;
const DEFAULTS = { admin: '', action: '', subject: '', from: '', to: '', page: '1' };
const filled = (fields: Query): Query =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));

/** What admins have done, with the record before and after each action. */
export default function AuditPage() {
  const [url, setUrl] = useUrlState(DEFAULTS);
  const { admin, action, subject, from, to } = url;
  const filter = filled({ admin, action, subject, startDate: from, endDate: to });
  const { data, error, refetch } = useRead(
    'GET /api/admin/audit',
    { query: { ...filter, limit: PAGE_ROWS, page: pageOf(url.page) } },
    { keepPrevious: true },
  );
  const { pagination } = paginationOf(data?.pagination, setUrl);
  return (
    <>
      <PageHead title={T.title} />
      <Group mb="sm" align="end">
        <FilterField
          isFirst
          label={T.admin}
          placeholder={T.adminMeaning}
          value={admin}
          onChange={(value) => setUrl({ admin: value })}
        />
        <FilterField
          label={T.action}
          placeholder="withdrawal.take"
          value={action}
          onChange={(value) => setUrl({ action: value })}
        />
        <FilterField
          label={T.subject}
          placeholder={T.subjectMeaning}
          value={subject}
          onChange={(value) => setUrl({ subject: value })}
        />
        <FilterField type="date" label={T.from} value={from} onChange={(day) => setUrl({ from: day })} />
        <FilterField type="date" label={T.to} value={to} onChange={(day) => setUrl({ to: day })} />
        <ExportButton
          file="audit.csv"
          read={() => api.call('GET /api/admin/audit', { query: { ...filter, format: 'csv' } })}
        />
        <SavedViews list="audit" />
      </Group>
      {error && !data && <Failure error={error} retry={() => void refetch()} />}
      {data?.data.length === 0 && <div className="empty">{T.empty}</div>}
      {data?.data.map((entry) => (
        <EntryCard key={entry.id} entry={entry} />
      ))}
      {pagination && <Pages {...pagination} />}
      <Shortcuts isList />
    </>
  );
}

function EntryCard({ entry }: { entry: Entry }) {
  const { id, at, admin, action, subjectType, subjectId, reason, before, after, traceId } = entry;
  const name = actionName(action);
  const search = new URLSearchParams({ subject: `${subjectType}:${subjectId}` }).toString();
  return (
    <Paper withBorder p="md" mb="md" component="article" data-row={id}>
      <Group mb="xs" gap="xs" align="baseline">
        <Title order={2} size="h4">
          {name ?? visibleText(action)}
        </Title>
        {name && <code>{action}</code>}
      </Group>
      <Facts
        of={[
          [T.at, <Moment key="at" at={at} />],
          [T.admin, codeName(admin)],
          [
            T.subject,
            <Group key="subject" gap="xs">
              <RecordLink kind={subjectType} id={subjectId} />
              <Link
                className="row-link"
                to={`?${search}`}
                aria-label={`${T.all}: ${recordName(subjectType, subjectId)}`}
              >
                {T.all}
              </Link>
            </Group>,
          ],
          [T.reason, reason],
          [T.trace, traceId],
        ]}
      />
      <Box mt="sm">
        <Differences before={before ?? {}} after={after ?? {}} />
      </Box>
    </Paper>
  );
}
