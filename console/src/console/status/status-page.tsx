import { Alert, Badge, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { formatCount, formatPercent } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Section } from '../../ui/section.tsx';
import { Moment } from '../../ui/values.tsx';
import { fieldName } from '../field-names.ts';
import { recordText } from '../record-names.ts';
import { COMPONENT, CONDITION, detailText, durationText, impactText, targetName } from './texts.ts';

const T = inLanguage({
  title: ['Status', 'Zustand'],
  components: ['Components', 'Bestandteile'],
  component: ['Component', 'Bestandteil'],
  status: ['Status', 'Stand'],
  message: ['Message', 'Meldung'],
  latency: ['Duration', 'Dauer'],
  checked: ['Checked', 'Geprüft'],
  details: ['Details', 'Einzelheiten'],
  none: ['No component was checked.', 'Kein Bestandteil wurde geprüft.'],
  fourEyesOff: [
    'FOUR_EYES is off: one admin makes sensitive changes at once, without a second one.',
    'FOUR_EYES ist aus: Ein Admin macht heikle Änderungen sofort, ohne einen zweiten.',
  ],
  rehearsal: [
    'This is a rehearsal: the providers are simulated, and no real money is moved.',
    'Dies ist eine Probe: Die Anbieter sind simuliert, und es fließt kein echtes Geld.',
  ],
  levels: ['Service levels of the last 30 days', 'Dienstgüte der letzten 30 Tage'],
  availability: ['Availability', 'Verfügbarkeit'],
  errorRate: ['Failed requests', 'Fehlgeschlagene Anfragen'],
  requests: ['Requests', 'Anfragen'],
  downtime: ['Downtime', 'Ausfallzeit'],
  target: [(value: string) => `target ${value}`, (value: string) => `Ziel ${value}`],
  unknown: ['unknown', 'unbekannt'],
  today: ['Last 24 hours', 'Letzte 24 Stunden'],
  met: ['All targets are met.', 'Alle Ziele sind erreicht.'],
  notMeasured: ['No request was counted.', 'Es wurde keine Anfrage gezählt.'],
  incidents: ['Incidents', 'Vorfälle'],
  noIncident: ['There was no incident.', 'Es gab keinen Vorfall.'],
  at: ['At', 'Zeit'],
  duration: ['Duration', 'Dauer'],
  impact: ['Impact', 'Auswirkung'],
  over: ['Over', 'Vorbei'],
  yes: ['yes', 'ja'],
  no: ['no', 'nein'],
  version: ['Version', 'Version'],
  commit: ['Commit', 'Commit'],
  built: ['Built', 'Gebaut'],
  environment: ['Environment', 'Umgebung'],
});
const COLOURS = { healthy: 'green', degraded: 'yellow', unhealthy: 'red', unknown: 'gray' } as const;

type Health = Answer<'GET /api/health/detailed'>['data'];
type Component = Health['components'][number];
type Report = Answer<'GET /api/sla/report'>['data'];
type Incident = Report['incidents'][number];
const REFRESH_MS = 30_000;

/** Does not use the API client: an unhealthy service answers 503 with the same figures, and the client would throw an error. */
async function readHealth(): Promise<Health> {
  const response = await fetch('/api/health/detailed');
  const { data } = (await response.json()) as { data?: Health };
  if (!data) throw new Error(`HTTP ${response.status}`);
  return data;
}

const Condition = ({ status }: { status: keyof typeof COLOURS }) => (
  <Badge variant="light" color={COLOURS[status]}>
    {CONDITION[status]}
  </Badge>
);

/** Whether the service and what it depends on work, and how well it has served. */
export default function StatusPage() {
  const health = useQuery({ queryKey: ['health'], queryFn: readHealth, refetchInterval: REFRESH_MS });
  return (
    <>
      <PageHead title={T.title}>{health.data && <Condition status={health.data.overallStatus} />}</PageHead>
      {health.error && !health.data && <Failure error={health.error} retry={() => void health.refetch()} />}
      {health.data?.fourEyes === 'off' && (
        <Alert color="yellow" mb="md">
          {T.fourEyesOff}
        </Alert>
      )}
      {health.data?.rehearsal && (
        <Alert color="yellow" mb="md">
          {T.rehearsal}
        </Alert>
      )}
      <Section title={T.components}>
        <DataTable<Component>
          caption={T.components}
          rows={health.data?.components}
          columns={COMPONENT_COLUMNS}
          idOf={({ component }) => component}
          empty={T.none}
        />
      </Section>
      <ServiceLevels />
      <Version />
    </>
  );
}

const COMPONENT_COLUMNS: readonly Column<Component>[] = [
  { key: 'component', header: T.component, cell: ({ component }) => COMPONENT[component] ?? component },
  { key: 'status', header: T.status, cell: ({ status }) => <Condition status={status} /> },
  { key: 'message', header: T.message, cell: ({ message }) => recordText(message) },
  {
    ...{ key: 'details', header: T.details, isSecondary: true },
    cell: ({ details }) =>
      Object.entries(details)
        .map(([name, value]) => `${fieldName(name)}: ${detailText(value)}`)
        .join(' · '),
  },
  {
    ...{ key: 'latency', header: T.latency, align: 'right', isSecondary: true },
    cell: ({ latency }) => `${latency} ms`,
  },
  {
    ...{ key: 'checked', header: T.checked },
    cell: ({ lastChecked }) => lastChecked && <Moment at={lastChecked} />,
  },
];

const INCIDENT_COLUMNS: readonly Column<Incident>[] = [
  { key: 'at', header: T.at, cell: ({ timestamp }) => <Moment isReal at={timestamp} /> },
  { key: 'duration', header: T.duration, cell: ({ duration }) => durationText(duration) },
  {
    key: 'impact',
    header: T.impact,
    cell: ({ impact, affected }) => `${impactText(impact)} (${affected.map(targetName).join(', ')})`,
  },
  { key: 'over', header: T.over, cell: ({ resolved }) => (resolved ? T.yes : T.no) },
];

const percent = (value: number | null, target: number) =>
  `${value === null ? T.unknown : formatPercent(value)} (${T.target(formatPercent(target))})`;

function ServiceLevels() {
  const status = useRead('GET /api/sla/status').data?.data;
  const { data, error } = useRead('GET /api/sla/report');
  if (!data) return error ? <Failure error={error} /> : null;
  const { summary, targets, incidents } = data.data;
  return (
    <Section title={T.levels}>
      <Facts
        of={[
          [T.availability, percent(summary.availability, targets.availability)],
          [T.errorRate, percent(summary.errorRate, targets.maxErrorRate)],
          [T.requests, formatCount(summary.totalRequests)],
          [T.downtime, durationText(summary.downtime)],
          [T.today, status && todayText(status)],
        ]}
      />
      <Text fw={600} mt="md" mb="xs">
        {T.incidents}
      </Text>
      <DataTable<Incident>
        caption={T.incidents}
        rows={incidents}
        columns={INCIDENT_COLUMNS}
        idOf={({ timestamp }) => timestamp}
        empty={T.noIncident}
      />
    </Section>
  );
}

function todayText({ status, breaches }: Answer<'GET /api/sla/status'>['data']): string {
  if (status === 'unknown') return T.notMeasured;
  return breaches.length === 0 ? T.met : breaches.map(recordText).join(' ');
}

function Version() {
  const version = useRead('GET /api/version').data?.data;
  if (!version) return null;
  return (
    <Section title={T.version}>
      <Facts
        of={[
          [T.version, `${version.version} (${version.apiVersion})`],
          [T.commit, version.commit],
          [T.built, version.builtAt && <Moment key="built" at={version.builtAt} />],
          [T.environment, `${version.environment}, Node ${version.nodeVersion}`],
        ]}
      />
    </Section>
  );
}
