import { Alert } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { LimitsResponse } from 'stablecoin-platform-client/routes';
import { api } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { formatMoment } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { ActionPanel } from '../action-panel.tsx';
import { useAction } from '../intent.ts';
import { Card, Loaded, Page } from '../parts.tsx';
import { useConfirmed } from '../step-up.tsx';
import { Factors } from './factors.tsx';
import { Sessions } from './sessions.tsx';

const T = inLanguage({
  title: ['Security', 'Sicherheit'],
  lead: [
    'A stolen session alone must not be enough to take your money: add a second factor.',
    'Eine gestohlene Sitzung allein darf nicht reichen, um Ihr Geld zu nehmen: Fügen Sie einen zweiten Faktor hinzu.',
  ],
  hold: [
    (until: string) =>
      `After a change of your account, withdrawals and changes of addresses wait until ${until}.`,
    (until: string) =>
      `Nach einer Änderung Ihres Kontos warten Auszahlungen und Adressänderungen bis ${until}.`,
  ],
  lockTitle: ['Lock the account', 'Konto sperren'],
  lockSentence: [
    'Ends all other sessions and refuses everything that leads money out, until you unlock it with a second factor or two operators do.',
    'Beendet alle anderen Sitzungen und verweigert alles, was Geld hinausführt, bis Sie es mit einem zweiten Faktor oder zwei Mitarbeiter entsperren.',
  ],
  lock: ['Lock now', 'Jetzt sperren'],
  locked: ['The account is locked.', 'Das Konto ist gesperrt.'],
  unlockSentence: [
    'Unlocks the account after you have confirmed it with a second factor.',
    'Entsperrt das Konto, nachdem Sie es mit einem zweiten Faktor bestätigt haben.',
  ],
  unlock: ['Unlock', 'Entsperren'],
  byAdmins: [
    'Only two operators can unlock it: contact the support. Deposits are still credited.',
    'Nur zwei Mitarbeiter können es entsperren: Wenden Sie sich an den Support. Einzahlungen werden weiter gutgeschrieben.',
  ],
  unlocked: ['The account is unlocked.', 'Das Konto ist entsperrt.'],
});

export default function Security() {
  const limits = useRead('GET /api/user/limits');
  return (
    <Page title={T.title} lead={T.lead}>
      <Loaded query={limits}>
        {({ data }) => data.hold && <Alert color="yellow">{T.hold(formatMoment(data.hold.until))}</Alert>}
      </Loaded>
      <Factors />
      <Sessions />
      <Loaded query={limits}>{({ data }) => <Lock locked={data.locked} />}</Loaded>
    </Page>
  );
}

function Lock({ locked }: { locked: LimitsResponse['locked'] }) {
  const queries = useQueryClient();
  const confirmed = useConfirmed();
  const action = useAction<string>();
  const lock = async () => {
    await action.run('lock', async () => {
      await api.call('POST /api/user/lock');
      return T.locked;
    });
    await queries.invalidateQueries();
  };
  const unlock = async () => {
    await action.run('unlock', () =>
      confirmed({ action: 'account.unlock', details: {}, sentence: T.unlockSentence }, async (stepUp) => {
        await api.call('POST /api/user/unlock', { stepUp });
        return T.unlocked;
      }),
    );
    await queries.invalidateQueries();
  };
  if (!locked)
    return (
      <Card title={T.lockTitle}>
        <ActionPanel
          sentence={T.lockSentence}
          asks
          label={T.lock}
          color="red"
          action={action}
          onAct={lock}
          outcome={(text) => text}
        />
      </Card>
    );
  return (
    <Card title={T.lockTitle}>
      <ActionPanel
        sentence={T.unlockSentence}
        disabledBecause={locked.unlock === 'admins' && T.byAdmins}
        label={T.unlock}
        action={action}
        onAct={unlock}
        outcome={(text) => text}
      />
    </Card>
  );
}
