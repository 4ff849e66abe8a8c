import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import type { Answer } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { FilterField } from '../../ui/filter-field.tsx';
import { visibleText } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Shortcuts } from '../../ui/list-keys.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Section } from '../../ui/section.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { Moment } from '../../ui/values.tsx';
import { ActionButton } from '../action-button.tsx';
import { RecordLink } from '../record-link.tsx';
import { usePermits } from '../session.ts';
import { Consumers } from './consumers.tsx';
import { RepeatForm } from './repeat-form.tsx';

const T = inLanguage({
  title: ['Events', 'Ereignisse'],
  consumers: ['Consumers and event webhook', 'Verbraucher und Ereignis-Webhook'],
  feed: ['Feed', 'Folge'],
  empty: ['No event follows.', 'Es folgt kein Ereignis.'],
  types: ['Types', 'Arten'],
  after: ['After number', 'Nach Nummer'],
  number: ['Number', 'Nummer'],
  type: ['Type', 'Art'],
  at: ['At', 'Zeit'],
  subject: ['Record', 'Vorgang'],
  data: ['Data', 'Daten'],
  show: ['show', 'zeigen'],
  first: ['From the oldest', 'Ab dem ältesten'],
  next: ['Next events', 'Nächste Ereignisse'],
  repeat: ['Hand an event again', 'Ereignis noch einmal übergeben'],
});

type FeedEvent = Answer<'GET /api/admin/events'>['data']['events'][number];
const PAGE_ROWS = 50;

const COLUMNS: readonly Column<FeedEvent>[] = [
  { key: 'number', header: T.number, cell: ({ number }) => number },
  { key: 'type', header: T.type, cell: ({ type }) => type },
  { key: 'at', header: T.at, cell: ({ at }) => <Moment at={at} /> },
  {
    key: 'subject',
    header: T.subject,
    cell: ({ subject: { type, id } }) => <RecordLink kind={type} id={id} />,
  },
  {
    ...{ key: 'data', header: T.data },
    cell: ({ data }) => (
      <details>
        <summary>{T.show}</summary>
        <code className="data">{visibleText(JSON.stringify(data, null, 1))}</code>
      </details>
    ),
  },
];

/** The domain events of the platform in their order, and the open alerts about their consumers. */
export default function EventsPage() {
  const [url, setUrl] = useUrlState({ after: '', types: '', page: '1' });
  const [isRepeating, setRepeating] = useState(false);
  const maySeeAlerts = usePermits('withdrawals:read');
  const query = {
    limit: PAGE_ROWS,
    ...(url.after ? { after: url.after } : {}),
    ...(url.types ? { types: url.types } : {}),
  };
  const { data, error, refetch } = useRead('GET /api/admin/events', { query }, { keepPrevious: true });
  const next = data?.data.next;
  return (
    <>
      <PageHead title={T.title} />
      {maySeeAlerts && (
        <Section title={T.consumers}>
          <Consumers />
        </Section>
      )}
      <Section title={T.feed}>
        <Group align="end" mb="sm">
          <FilterField
            isFirst
            label={T.types}
            placeholder="alert.raised,deposit.completed"
            value={url.types}
            onChange={(types) => setUrl({ types, after: '' }, true)}
          />
          <FilterField label={T.after} value={url.after} onChange={(after) => setUrl({ after }, true)} />
          <ActionButton needs="*" size="xs" variant="default" onClick={() => setRepeating(true)}>
            {T.repeat}
          </ActionButton>
        </Group>
        <DataTable<FeedEvent>
          caption={T.feed}
          rows={data?.data.events}
          columns={COLUMNS}
          idOf={({ number }) => number}
          empty={T.empty}
          error={data ? undefined : error}
          retry={() => void refetch()}
        />
        <Group mt="sm">
          {url.after && (
            <Button size="xs" variant="default" onClick={() => setUrl({ after: '' })}>
              {T.first}
            </Button>
          )}
          {next && (
            <Button size="xs" variant="default" onClick={() => setUrl({ after: next })}>
              {T.next}
            </Button>
          )}
        </Group>
      </Section>
      <Shortcuts isList />
      {isRepeating && <RepeatForm onClose={() => setRepeating(false)} />}
    </>
  );
}
