import { inLanguage } from '../../ui/language.ts';
import { Shortcuts } from '../../ui/list-keys.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { Accounts } from './accounts.tsx';
import { ProfitAndLoss } from './profit-and-loss.tsx';
import { TrialBalance } from './trial-balance.tsx';

const T = inLanguage({
  title: ['Books', 'Bücher'],
  accounts: ['Accounts', 'Konten'],
  balance: ['Trial balance', 'Saldenliste'],
  result: ['Profit and loss', 'Gewinn und Verlust'],
});

const TABS = ['accounts', 'balance', 'result'] as const;

/** The platform's double-entry books: accounts, balances at the end of a day, and the result of a period. */
export default function BooksPage() {
  const [{ tab }] = useUrlState({ tab: 'accounts', page: '1' });
  const selected = TABS.find((candidate) => candidate === tab) ?? 'accounts';
  return (
    <>
      <PageHead title={T.title} />
      <Tabs
        label={T.title}
        tabs={TABS.map((id) => ({ id, title: T[id] }))}
        selected={selected}
        hrefOf={(id) => (id === 'accounts' ? '?' : `?tab=${id}`)}
      />
      <div className="gap-above">
        {selected === 'accounts' && <Accounts />}
        {selected === 'balance' && <TrialBalance />}
        {selected === 'result' && <ProfitAndLoss />}
      </div>
      <Shortcuts isList={selected === 'accounts'} />
    </>
  );
}
