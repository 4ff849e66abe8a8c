import { Alert, Button, Group } from '@mantine/core';
import { useState } from 'react';
import type { Answer } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { verifyLog } from '../../proofs/verify-log.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatCount } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Section } from '../../ui/section.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { Grouped, Moment, Shortened } from '../../ui/values.tsx';
import { ActionButton } from '../action-button.tsx';
import { CheckProof } from '../check-proof.tsx';
import { ContinueForm } from './continue-form.tsx';

const T = inLanguage({
  head: ['Head of the log', 'Kopf des Logs'],
  size: ['Leaves', 'Blätter'],
  root: ['Root', 'Wurzel'],
  at: ['Signed', 'Unterschrieben'],
  note: ['Signed checkpoint', 'Unterschriebener Prüfpunkt'],
  check: ['Check the log', 'Log prüfen'],
  meaning: [
    'Checks in this browser that a key of the platform has signed the newest checkpoint, and that it continues the log that this browser has kept.',
    'Prüft in diesem Browser, dass ein Schlüssel der Plattform den neuesten Prüfpunkt unterschrieben hat und dass er das Log fortsetzt, das dieser Browser behalten hat.',
  ],
  first: [
    (size: number) => `The log of ${size} leaves is signed. This browser has kept it for the next check.`,
    (size: number) =>
      `Das Log mit ${size} Blättern ist unterschrieben. Dieser Browser hat es für die nächste Prüfung behalten.`,
  ],
  continues: [
    (size: number, kept: number) =>
      `The log of ${size} leaves is signed and continues the one of ${kept}: nothing was rewritten.`,
    (size: number, kept: number) =>
      `Das Log mit ${size} Blättern ist unterschrieben und setzt das mit ${kept} fort: Nichts wurde umgeschrieben.`,
  ],
  continueLog: ['Continue the log', 'Log fortsetzen'],
  kept: ['Kept checkpoints', 'Behaltene Prüfpunkte'],
  none: ['Nothing is in the log yet.', 'Im Log steht noch nichts.'],
  older: ['Older checkpoints', 'Ältere Prüfpunkte'],
  newest: ['Newest checkpoints', 'Neueste Prüfpunkte'],
});

type Checkpoint = Answer<'GET /api/proofs/checkpoints'>['data'][number];
const PAGE_ROWS = 20;

const COLUMNS: readonly Column<Checkpoint>[] = [
  { key: 'size', header: T.size, cell: ({ size }) => formatCount(size) },
  { key: 'at', header: T.at, cell: ({ at }) => <Moment at={at} /> },
  { key: 'root', header: T.root, cell: ({ root }) => <Shortened value={root} /> },
  {
    ...{ key: 'note', header: T.note },
    cell: ({ checkpoint, size }) => <CopyButton value={checkpoint} label={`${T.note} ${size}`} />,
  },
];

/** The head of the log, its check in this browser, and the checkpoints before it. */
export function Checkpoints() {
  const [url, setUrl] = useUrlState({ tab: 'checkpoints', before: '', page: '1' });
  const [isContinuing, setContinuing] = useState(false);
  const head = useRead('GET /api/proofs/checkpoints', { query: { limit: 1 } }).data?.data[0];
  const before = /^\d{1,15}$/.test(url.before) ? { before: Number(url.before) } : {};
  const { data, error, refetch } = useRead(
    'GET /api/proofs/checkpoints',
    { query: { limit: PAGE_ROWS, ...before } },
    { keepPrevious: true },
  );
  const oldest = data?.data.at(-1);
  return (
    <>
      <Section title={T.head}>
        {head && <Head checkpoint={head} />}
        <div className="gap-above">
          <CheckProof label={T.check} meaning={T.meaning} check={verifyLog}>
            {({ size, keptSize }) => (
              <Alert color="green">
                {keptSize === undefined ? T.first(size) : T.continues(size, keptSize)}
              </Alert>
            )}
          </CheckProof>
        </div>
        <div className="gap-above">
          <ActionButton needs="*" variant="default" onClick={() => setContinuing(true)}>
            {T.continueLog}
          </ActionButton>
        </div>
      </Section>
      <Section title={T.kept}>
        <DataTable<Checkpoint>
          caption={T.kept}
          rows={data?.data}
          columns={COLUMNS}
          idOf={({ size }) => String(size)}
          empty={T.none}
          error={data ? undefined : error}
          retry={() => void refetch()}
        />
        <Group mt="sm">
          {url.before && (
            <Button size="xs" variant="default" onClick={() => setUrl({ before: '' })}>
              {T.newest}
            </Button>
          )}
          {oldest && data?.data.length === PAGE_ROWS && (
            <Button size="xs" variant="default" onClick={() => setUrl({ before: String(oldest.size) })}>
              {T.older}
            </Button>
          )}
        </Group>
      </Section>
      {isContinuing && <ContinueForm onClose={() => setContinuing(false)} />}
    </>
  );
}

function Head({ checkpoint: { size, root, at, checkpoint } }: { checkpoint: Checkpoint }) {
  return (
    <Facts
      of={[
        [T.size, formatCount(size)],
        [T.root, <Grouped key="root" value={root} label={T.root} />],
        [T.at, <Moment key="at" at={at} />],
        [T.note, <CodeBlock key="note" text={checkpoint} label={T.note} />],
      ]}
    />
  );
}
