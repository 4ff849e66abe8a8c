import { Badge, Box, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { Answer } from '../../api/client.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { formatCount, formatDigits, visibleText } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Moment } from '../../ui/values.tsx';
import { recordPath } from '../record-link.tsx';
import { recordText, valueText } from '../record-names.ts';
import { germanInvariant, germanViolation } from '../service-texts.ts';
import { useAdmin } from '../session.ts';
import { SEVERITY, STATUS, STATUS_COLOURS } from './texts.ts';

const T = inLanguage({
  checked: [
    (entries: string) => `${entries} entries were checked at`,
    (entries: string) => `${entries} Buchungszeilen wurden geprüft um`,
  ],
  invariants: ['Invariants', 'Invarianten'],
  name: ['Invariant', 'Invariante'],
  concerns: ['Concerns', 'Betrifft'],
  status: ['Status', 'Stand'],
  violations: ['Violations', 'Verletzungen'],
  none: ['There are no invariants.', 'Es gibt keine Invarianten.'],
  subject: ['Where', 'Wo'],
  user: ['User', 'Nutzer'],
  expected: ['Expected', 'Erwartet'],
  actual: ['Found', 'Gefunden'],
  more: [
    (shown: number, all: string) => `The first ${shown} of ${all} violations.`,
    (shown: number, all: string) => `Die ersten ${shown} von ${all} Verletzungen.`,
  ],
});

type Check = Answer<'GET /api/admin/integrity'>['data'];
type Invariant = Check['laws'][number];
type Violation = Invariant['breaks'][number];

const COLUMNS: readonly Column<Invariant>[] = [
  {
    ...{ key: 'name', header: T.name },
    cell: ({ name, description }) => (
      <>
        <InvariantName of={name} />
        <Text size="sm" c="dimmed">
          {recordText(description)}
        </Text>
      </>
    ),
  },
  { key: 'severity', header: T.concerns, cell: ({ severity }) => SEVERITY[severity] },
  {
    ...{ key: 'status', header: T.status },
    cell: ({ status }) => (
      <Badge variant="light" color={STATUS_COLOURS[status]}>
        {STATUS[status]}
      </Badge>
    ),
  },
  {
    ...{ key: 'count', header: T.violations, align: 'right' },
    cell: ({ breakCount }) => formatCount(breakCount),
  },
];

const VIOLATION_COLUMNS: readonly Column<Violation>[] = [
  {
    key: 'subject',
    header: T.subject,
    cell: ({ subject }) => visibleText(germanViolation(subject, valueText) ?? subject),
  },
  { key: 'user', header: T.user, cell: ({ userId }) => userId && <UserOf id={userId} /> },
  { key: 'expected', header: T.expected, align: 'right', cell: ({ expected }) => formatDigits(expected) },
  { key: 'actual', header: T.actual, align: 'right', cell: ({ actual }) => formatDigits(actual) },
];

/** The invariants of a check, the violated ones first, with their violations. */
export function Invariants({ check: { laws, entries, checkedAt } }: { check: Check }) {
  const violated = laws.filter(({ status }) => status === 'broken');
  return (
    <>
      <Text mb="sm">
        {T.checked(formatCount(entries))} <Moment at={checkedAt} />
      </Text>
      {violated.map(({ name, breaks, breakCount }) => (
        <Box key={name} mb="md">
          <Text fw={600} mb={4}>
            <InvariantName of={name} />
          </Text>
          <DataTable<Violation>
            caption={germanInvariant(name) ?? name}
            rows={breaks}
            columns={VIOLATION_COLUMNS}
            idOf={({ subject, userId, expected, actual }) => [subject, userId, expected, actual].join(' ')}
            empty={T.none}
          />
          {breakCount > breaks.length && (
            <Text size="sm">{T.more(breaks.length, formatCount(breakCount))}</Text>
          )}
        </Box>
      ))}
      <DataTable<Invariant>
        caption={T.invariants}
        rows={[...violated, ...laws.filter(({ status }) => status !== 'broken')]}
        columns={COLUMNS}
        idOf={({ name }) => name}
        empty={T.none}
      />
    </>
  );
}

/** The name of an invariant. In German the name in the API and in the log follows. */
function InvariantName({ of: name }: { of: string }) {
  const german = germanInvariant(name);
  return (
    <>
      <strong>{german ?? name}</strong>
      {german && (
        <>
          {' '}
          <code>{name}</code>
        </>
      )}
    </>
  );
}

function UserOf({ id }: { id: string }) {
  const path = recordPath(useAdmin(), 'user', id);
  return path ? <Link to={path}>{id}</Link> : id;
}
