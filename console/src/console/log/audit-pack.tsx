import { Group, Text } from '@mantine/core';
import { api } from '../../api/client.ts';
import { useServiceTime } from '../../api/service-time.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ExportButton } from '../../ui/export-button.tsx';
import { FilterField } from '../../ui/filter-field.tsx';
import { daysBefore } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Section } from '../../ui/section.tsx';
import { useUrlState } from '../../ui/url-state.ts';

const T = inLanguage({
  title: ['Audit pack', 'Prüfpaket'],
  meaning: [
    'The records of these days with everything that an auditor needs to verify them without the platform. Packs of long ranges are large.',
    'Die Vorgänge dieser Tage mit allem, was ein Prüfer braucht, um sie ohne die Plattform zu prüfen. Pakete langer Zeiträume sind groß.',
  ],
  from: ['First day', 'Erster Tag'],
  to: ['Last day', 'Letzter Tag'],
  save: ['Save the pack', 'Paket speichern'],
  verify: ['To verify it', 'So wird es geprüft'],
});

const DEFAULT_DAYS = 30;

/** The audit pack of a range of days, as a file. */
export function AuditPack() {
  const [url, setUrl] = useUrlState({ tab: 'checkpoints', from: '', to: '', page: '1' });
  const now = useServiceTime();
  if (!now) return null;
  const to = url.to || now.slice(0, 10);
  const from = url.from || daysBefore(to, DEFAULT_DAYS - 1);
  const name = `audit-pack-${from}-${to}`;
  return (
    <Section title={T.title}>
      <Text mb="sm">{T.meaning}</Text>
      <Group align="end" mb="md">
        <FilterField type="date" label={T.from} value={from} onChange={(day) => setUrl({ from: day })} />
        <FilterField type="date" label={T.to} value={to} onChange={(day) => setUrl({ to: day })} />
        <ExportButton
          label={T.save}
          file={`${name}.tar.gz`}
          type="application/gzip"
          read={async () => {
            const query = { startDate: from, endDate: to };
            const pack = await api.call('GET /api/admin/audit-pack', { query, timeoutMs: Infinity });
            return pack as Uint8Array<ArrayBuffer>;
          }}
        />
      </Group>
      <Text size="sm" mb={4}>
        {T.verify}
      </Text>
      <CodeBlock label={T.verify} text={`tar -xzf ${name}.tar.gz\ncd ${name}\nnode verify.mjs`} />
    </Section>
  );
}
