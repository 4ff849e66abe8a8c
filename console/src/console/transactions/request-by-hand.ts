import { api, type RequestOf } from '../../api/client.ts';
import { inLanguage } from '../../ui/language.ts';
import { isId } from '../../ui/list-page.tsx';
import type { DeskAction } from '../desk/actions.tsx';
import type { Field, Values } from '../desk/desk-dialog.tsx';
import { REQUESTED } from './texts.ts';

const T = inLanguage({
  label: ['Book by hand', 'Von Hand buchen'],
  type: ['What is booked?', 'Was wird gebucht?'],
  user: ['User', 'Nutzer'],
  userMeaning: ['E-mail address or id', 'E-Mail-Adresse oder Id'],
  noUser: [(text: string) => `No user is “${text}”.`, (text: string) => `Kein Nutzer ist „${text}“.`],
  amount: ['Amount in USDC', 'Betrag in USDC'],
  description: ['Why is it booked?', 'Warum wird gebucht?'],
  shown: [
    'The second admin reads it, and the user if there is one.',
    'Der zweite Admin liest es, und der Nutzer, wenn es einen gibt.',
  ],
  source: ['Booked so far on', 'Bisher gebucht auf'],
  lateWithdrawal: [
    'Id of the withdrawal that it pays (optional)',
    'Id der Auszahlung, die sie zahlt (freiwillig)',
  ],
  lateMeaning: ['Only if an alert reports the payment.', 'Nur wenn eine Warnung die Zahlung meldet.'],
  reversed: ['Id of the failed withdrawal', 'Id der fehlgeschlagenen Auszahlung'],
  takenBack: ['Id of the credited deposit', 'Id der gutgeschriebenen Einzahlung'],
});

const TYPES = inLanguage({
  deposit: ['A deposit of a user', 'Eine Einzahlung eines Nutzers'],
  withdrawal: ['A withdrawal of a user', 'Eine Auszahlung eines Nutzers'],
  transfer: ['A transfer into custody', 'Eine Überweisung in die Verwahrung'],
  'reversal-withdrawal': [
    'The return of a failed withdrawal',
    'Die Rückgabe einer fehlgeschlagenen Auszahlung',
  ],
  'reversal-deposit': ['The taking back of a deposit', 'Die Rücknahme einer Einzahlung'],
});
type Choice = keyof typeof TYPES;

const EFFECTS = inLanguage({
  deposit: [
    'A second admin is asked to credit the amount to the user’s available balance.',
    'Ein zweiter Admin wird gebeten, den Betrag dem verfügbaren Guthaben gutzuschreiben.',
  ],
  withdrawal: [
    'A second admin is asked to take the amount from the user’s available balance, which custody pays.',
    'Ein zweiter Admin wird gebeten, den Betrag vom verfügbaren Guthaben abzubuchen, den die Verwahrstelle zahlt.',
  ],
  transfer: [
    'A second admin is asked to move the amount from the deposit provider into custody.',
    'Ein zweiter Admin wird gebeten, den Betrag vom Einzahlungsanbieter in die Verwahrung zu überweisen.',
  ],
  'reversal-withdrawal': [
    'A second admin is asked to return the amount that the failed withdrawal still reserves.',
    'Ein zweiter Admin wird gebeten, den Betrag zurückzugeben, den die fehlgeschlagene Auszahlung noch reserviert.',
  ],
  'reversal-deposit': [
    'A second admin is asked to take back a credited deposit whose tokens have not arrived.',
    'Ein zweiter Admin wird gebeten, eine gutgeschriebene Einzahlung zurückzunehmen, deren Token nicht angekommen sind.',
  ],
});

const SOURCES = inLanguage({
  'deposit-provider': ['the deposit provider', 'dem Einzahlungsanbieter'],
  suspense: ['suspense (received without an owner)', 'dem Zwischenkonto (ohne Besitzer eingegangen)'],
});

const typeOf = ({ type = '' }: Values): Choice => (Object.hasOwn(TYPES, type) ? type : 'deposit') as Choice;

function fieldsOf(values: Values): readonly Field[] {
  const type = typeOf(values);
  const user: Field = { name: 'user', label: T.user, description: T.userMeaning, kind: 'text' };
  const ofType: Record<Choice, readonly Field[]> = {
    deposit: [user, { name: 'source', label: T.source, kind: 'choice', choices: SOURCES }],
    withdrawal: [
      user,
      {
        name: 'withdrawalId',
        label: T.lateWithdrawal,
        description: T.lateMeaning,
        kind: 'text',
        isOptional: true,
      },
    ],
    transfer: [],
    'reversal-withdrawal': [{ name: 'withdrawalId', label: T.reversed, kind: 'text' }],
    'reversal-deposit': [{ name: 'depositId', label: T.takenBack, kind: 'text' }],
  };
  return [
    { name: 'type', label: T.type, kind: 'choice', choices: TYPES },
    ...ofType[type],
    { name: 'amount', label: T.amount, kind: 'amount' },
    { name: 'description', label: T.description, description: T.shown, kind: 'reason' },
  ];
}

/** The id of the user with this e-mail address or id. */
async function userIdOf(text: string): Promise<string> {
  if (isId(text)) return text;
  const { results } = (await api.call('GET /api/admin/search', { query: { q: text } })).data;
  const found = results.find(({ type, label }) => type === 'user' && label === text.toLowerCase());
  if (!found) throw new Error(T.noUser(text));
  return found.id;
}

type Body = RequestOf<'POST /api/admin/transactions'>['body'];

/** Requests a transaction, which a second admin approves. */
export const requestByHand: DeskAction = {
  name: 'request',
  label: T.label,
  effect: (values) => EFFECTS[typeOf(values)],
  done: REQUESTED,
  fields: fieldsOf,
  send: async (values, idempotencyKey) => {
    const { user, type: _, source, amount = '', description = '', ...records } = values;
    const body: Body = {
      ...records,
      // Both reversals have the type `reversal`; the field with the id says what is reversed.
      type: typeOf(values).split('-')[0] as Body['type'],
      ...{ amount, description, currency: 'USDC' },
      ...(user ? { userId: await userIdOf(user) } : {}),
      ...(source ? { source: source as NonNullable<Body['source']> } : {}),
    };
    await api.call('POST /api/admin/transactions', { body, idempotencyKey });
    return { color: 'yellow', message: REQUESTED };
  },
};
