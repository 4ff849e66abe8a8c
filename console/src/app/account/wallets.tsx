import { useQueryClient } from '@tanstack/react-query';
import type { LinkedWalletResponse } from '../../../../client/routes.ts';
import { api } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { groupsOf } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Grouped, Moment } from '../../ui/values.tsx';
import { ActionOutcome } from '../action-panel.tsx';
import styles from '../app.module.css';
import { AskingButton } from '../asking-button.tsx';
import { useAction } from '../intent.ts';
import { Card, DataTable, Empty, Loaded, Status } from '../parts.tsx';
import { useConfirmed } from '../step-up.tsx';

const T = inLanguage({
  title: ['Wallets that may sign in', 'Wallets, die sich anmelden dürfen'],
  meaning: [
    'A wallet is linked by its signature, in a front end that speaks with wallets. It holds its own money: unlinking moves nothing.',
    'Eine Wallet wird mit ihrer Unterschrift verknüpft, in einer Oberfläche, die mit Wallets spricht. Ihr Geld bleibt in ihr: Das Lösen bewegt nichts.',
  ],
  none: ['No wallet is linked.', 'Es ist keine Wallet verknüpft.'],
  address: ['Address', 'Adresse'],
  linked: ['Linked', 'Verknüpft'],
  state: ['State', 'Stand'],
  usable: ['may sign in', 'darf sich anmelden'],
  suspended: [
    'may not sign in until it is linked again',
    'darf sich bis zur erneuten Verknüpfung nicht anmelden',
  ],
  change: ['Change', 'Ändern'],
  unlink: ['Unlink', 'Lösen'],
  unlinkSentence: [
    (address: string) => `Unlink the wallet ${address}; the sessions that it has opened end`,
    (address: string) => `Die Wallet ${address} lösen; die Sitzungen, die sie geöffnet hat, enden`,
  ],
  unlinked: ['The wallet is unlinked.', 'Die Wallet ist gelöst.'],
});

export function Wallets() {
  const query = useRead('GET /api/user/wallets');
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  const action = useAction<string>();
  const sentenceOf = (address: string) => T.unlinkSentence(groupsOf(address).join(' '));
  const unlink = async ({ id, address }: LinkedWalletResponse) => {
    await action.run(id, () =>
      confirmed(
        { action: 'wallet.unlink', details: { address }, sentence: sentenceOf(address) },
        async (stepUp) => {
          await api.call('DELETE /api/user/wallets/{id}', { path: { id }, stepUp });
          return T.unlinked;
        },
      ),
    );
    await queries.invalidateQueries();
  };
  return (
    <Card title={T.title}>
      <p className={styles.hint}>{T.meaning}</p>
      <ActionOutcome action={action}>{(text) => text}</ActionOutcome>
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>{T.none}</Empty>
          ) : (
            <DataTable
              label={T.title}
              rows={data}
              columns={[
                { name: T.address, cell: ({ address }) => <Grouped value={address} label={T.address} /> },
                { name: T.linked, cell: ({ linkedAt }) => <Moment at={linkedAt} /> },
                {
                  name: T.state,
                  cell: ({ suspendedAt }) => (
                    <Status status={suspendedAt ? 'paused' : 'active'}>
                      {suspendedAt ? T.suspended : T.usable}
                    </Status>
                  ),
                },
                {
                  name: T.change,
                  cell: (wallet) => (
                    <AskingButton
                      label={T.unlink}
                      sentence={sentenceOf(wallet.address)}
                      onAct={() => unlink(wallet)}
                    />
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
