import { Text } from '@mantine/core';
import { Link } from 'react-router';
import { useRead } from '../../api/use-read.ts';
import { REFRESH_MS } from '../../api/queries.ts';
import { Failure } from '../../ui/failure.tsx';
import { visibleText } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Age } from '../../ui/values.tsx';
import { textsOf } from '../alerts/texts-of.ts';

const T = inLanguage({
  fine: [
    'All consumers handle events, and the event webhook, if there is one, accepts them.',
    'Alle Verbraucher bearbeiten Ereignisse, und der Ereignis-Webhook, falls es einen gibt, nimmt sie an.',
  ],
  since: ['since', 'seit'],
});

const KINDS: readonly string[] = ['events-behind', 'events-parked', 'event-webhook-failing'];
const MAX_ALERTS = 100;

/** The open alerts about consumers of events and about the event webhook. */
export function Consumers() {
  const { data, error } = useRead(
    'GET /api/admin/alerts',
    { query: { status: 'open', limit: MAX_ALERTS } },
    { refetchInterval: () => REFRESH_MS },
  );
  if (error) return <Failure error={error} />;
  const alerts = data?.data.filter(({ kind }) => KINDS.includes(kind));
  if (alerts?.length === 0) return <Text>{T.fine}</Text>;
  return (
    <ul className="plain-list">
      {alerts?.map((alert) => (
        <li key={alert.id}>
          <Link to="/alerts">{visibleText(`${alert.subject.id}: ${textsOf(alert).message}`)}</Link> {T.since}{' '}
          <Age since={alert.createdAt} />
        </li>
      ))}
    </ul>
  );
}
