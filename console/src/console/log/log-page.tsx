import { inLanguage } from '../../ui/language.ts';
import { Shortcuts } from '../../ui/list-keys.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { AuditPack } from './audit-pack.tsx';
import { Checkpoints } from './checkpoints.tsx';
import { Days } from './days.tsx';

const T = inLanguage({
  title: ['Transparency log', 'Transparenzlog'],
  checkpoints: ['Checkpoints', 'Prüfpunkte'],
  days: ['Liabilities and assets', 'Schulden und Vermögen'],
  pack: ['Audit pack', 'Prüfpaket'],
});

const TABS = ['checkpoints', 'days', 'pack'] as const;

/** The signed log of all ledger transactions, what is owed and covered by day, and the records for an auditor. */
export default function LogPage() {
  const [{ tab }] = useUrlState({ tab: 'checkpoints', page: '1' });
  const selected = TABS.find((candidate) => candidate === tab) ?? 'checkpoints';
  return (
    <>
      <PageHead title={T.title} />
      <Tabs
        label={T.title}
        tabs={TABS.map((id) => ({ id, title: T[id] }))}
        selected={selected}
        hrefOf={(id) => (id === 'checkpoints' ? '?' : `?tab=${id}`)}
      />
      <div className="gap-above">
        {selected === 'checkpoints' && <Checkpoints />}
        {selected === 'days' && <Days />}
        {selected === 'pack' && <AuditPack />}
      </div>
      <Shortcuts isList={selected !== 'pack'} />
    </>
  );
}
