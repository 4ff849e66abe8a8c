import { api, type RequestOf } from '../../api/client.ts';
import { inLanguage } from '../../ui/language.ts';
import type { DeskAction } from '../desk/actions.tsx';
import { USER_STATUS } from './texts.ts';

const T = inLanguage({
  label: ['Create account', 'Konto anlegen'],
  effect: [
    'An account with this e-mail address is created. Its owner uses it by signing in with that address; nobody is notified.',
    'Ein Konto mit dieser E-Mail-Adresse wird angelegt. Der Inhaber benutzt es, indem er sich mit der Adresse anmeldet; niemand wird benachrichtigt.',
  ],
  done: ['The account is created', 'Das Konto ist angelegt'],
  email: ['E-mail address', 'E-Mail-Adresse'],
  status: ['Status', 'Status'],
  wallet: ['Wallet (optional)', 'Wallet (freiwillig)'],
  walletMeaning: [
    'It is only noted in the audit log. It can sign in once its owner has linked it.',
    'Sie wird nur im Audit-Log vermerkt. Anmelden kann sie sich, sobald ihr Inhaber sie verbunden hat.',
  ],
});

type Body = RequestOf<'POST /api/admin/users'>['body'];

/** Creates an account, and opens its record. */
export function createUser(open: (id: string) => void): DeskAction {
  const { all: _, ...choices } = USER_STATUS;
  return {
    ...{ name: 'create', label: T.label, effect: T.effect, done: T.done },
    fields: [
      { name: 'email', label: T.email, kind: 'text' },
      { name: 'status', label: T.status, kind: 'choice', choices },
      {
        name: 'walletAddress',
        label: T.wallet,
        description: T.walletMeaning,
        kind: 'text',
        isOptional: true,
      },
    ],
    send: async ({ email = '', status, walletAddress }) => {
      const body: Body = {
        ...{ email, status: (status ?? 'active') as NonNullable<Body['status']> },
        ...(walletAddress ? { walletAddress } : {}),
      };
      const { data } = await api.call('POST /api/admin/users', { body });
      open(data.id);
    },
  };
}
