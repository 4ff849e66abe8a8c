import { SECOND_FACTORS } from '../../../identity/users/users.types.js';
import { LANGUAGES, type Language } from '../../../../common/message-texts.js';
import { textOfSeveral } from './collapsing.js';
import { contentOf, NOTIFICATION_KINDS, type TextKind, type TextValues } from './notifications.js';

const PAYOUT = { paid: '<paid>', principal: '<principal>', growth: '<growth>', fees: '<fees>' };

/** For each kind, values for every variant of its text. Values in angle brackets have to appear in the text. */
const VALUES: { readonly [Kind in TextKind]: readonly TextValues[Kind][] } = {
  'deposit.seen': [{ received: '<received>', network: '<network>' }],
  'deposit.completed': [{ received: '<received>', credited: '<credited>' }],
  'deposit.held': [{ received: '<received>', minimum: '<minimum>' }],
  'deposit.covered': [{ received: '<received>' }],
  'deposit.failed': (['reverted', 'refused', 'vanished', 'unproven'] as const).map((failure) => ({
    received: '<received>',
    failure,
  })),
  'investment.requested': [{ amount: '<amount>', strategy: '<strategy>' }],
  'investment.created': [{ amount: '<amount>', strategy: '<strategy>' }],
  'investment.approved': [{ amount: '<amount>', strategy: '<strategy>' }],
  'investment.rejected': [{ amount: '<amount>', strategy: '<strategy>', reason: '<reason>' }],
  'investment.cancelled': [
    { amount: '<amount>', strategy: '<strategy>', payout: PAYOUT },
    { amount: '<amount>', strategy: '<strategy>', payout: null },
  ],
  'investment.partially-closed': [{ strategy: '<strategy>', payout: PAYOUT, left: '<left>' }],
  'investment.closed': [{ strategy: '<strategy>', payout: PAYOUT }],
  'investment.moved-from': [{ principal: '<principal>', value: '<value>', from: '<from>', to: '<to>' }],
  'investment.moved-into': [{ value: '<value>', from: '<from>', to: '<to>' }],
  'withdrawal.requested': [{ amount: '<amount>', toAddress: '<toAddress>' }],
  'withdrawal.taken': [{ amount: '<amount>' }],
  'withdrawal.completed': [{ amount: '<amount>', toAddress: '<toAddress>' }],
  'withdrawal.cancelled': [{ amount: '<amount>' }],
  'withdrawal.rejected': [{ amount: '<amount>', reason: '<reason>' }],
  'withdrawal.failed': [{ amount: '<amount>' }],
  'withdrawal.released': [{ amount: '<amount>' }],
  'withdrawal-limit.held': [{ amount: '<amount>' }],
  'withdrawal-limit.released': [{ amount: '<amount>' }],
  'booking.deposit': [{ amount: '<amount>', note: '<note>' }],
  'booking.withdrawal': [{ amount: '<amount>', note: '<note>' }],
  'booking.reversal': [{ amount: '<amount>', note: '<note>' }],
  earnings: [true, false].flatMap((isLoss) => [
    { from: '<from>', to: '<to>', days: 3, amount: '<amount>', isLoss },
    { from: '<to>', to: '<to>', days: 1, amount: '<amount>', isLoss },
  ]),
  suspension: [{ strategy: '<strategy>' }],
  'webhook.disabled': (['gone', 'failing', 'backlog'] as const).map((fault) => ({ host: '<host>', fault })),
  'security.new-device': [
    { device: '<device>', network: '<network>' },
    { device: null, network: '<network>' },
  ],
  'security.new-network': [
    { device: '<device>', network: '<network>' },
    { device: null, network: '<network>' },
  ],
  'security.new-identity': [{ holdUntil: '<holdUntil>' }, { holdUntil: null }],
  'security.status-changed': (['active', 'inactive', 'suspended'] as const).map((status) => ({
    status,
    reason: '<reason>',
  })),
  'security.wallet-linked': [{ wallet: '<wallet>' }],
  'security.wallet-unlinked': [{ wallet: '<wallet>' }],
  'security.wallet-suspended': [{ wallet: '<wallet>' }],
  'security.email-off': [{}],
  'security.factor-added': SECOND_FACTORS.map((factor) => ({ factor })),
  'security.factor-removed': SECOND_FACTORS.map((factor) => ({ factor })),
  'security.recovery-code-used': [{}],
  'security.second-factor-failed': [{}],
  'security.factors-reset': [{}],
  'security.account-locked': [{ reason: null }, { reason: '<reason>' }],
  'security.account-unlocked': [{}],
  'security.tier-changed': [{ tier: '<tier>' }],
  'security.webhook-created': [{ host: '<host>' }],
  'security.webhook-changed': [{ host: '<host>' }],
  'security.webhook-removed': [{ host: '<host>' }],
  'email.changed': [{}],
  'address.added': [{ address: '<address>', label: '<label>' }],
  'address.removed': [{ address: '<address>', label: '<label>' }],
  'api-key.created': [{ keyName: '<keyName>', prefix: '<prefix>' }],
  'api-key.revoked': [{ keyName: '<keyName>', prefix: '<prefix>' }],
  'api-key.used-from-new-network': [{ keyName: '<keyName>', prefix: '<prefix>', address: '<address>' }],
};

const CASES = Object.entries(VALUES).flatMap(([kind, list]) =>
  (list as readonly object[]).map((values) => [kind as TextKind, values] as const),
);

const FIELDS = { type: 'system', category: 'platform', actionUrl: null, metadata: {} } as const;

function textOf(kind: TextKind, values: object, language: Language): string {
  const { title, message } = contentOf(kind, values as never, FIELDS)(language);
  return `${title} | ${message}`;
}

/** Frequent English words that are no German ones. */
const ENGLISH_WORD =
  /\b(the|your?|you|has|have|had|is|are|of|and|to|from|been|was|again|amount|with|it|this|for|by|not|if)\b/i;
/** Frequent German words that are no English ones. */
const GERMAN_WORD = /\b(der|die|das|Ihre?[rns]?|Sie|ist|sind|und|von|wurden?|nicht|wieder|ein|kein)\b/;

describe('The texts of notifications', () => {
  it('have values for every kind in this test', () => {
    expect(Object.keys(VALUES).sort()).toEqual(Object.keys(NOTIFICATION_KINDS).sort());
  });

  it.each(CASES)('of %s name their values %j in every language', (kind, values) => {
    for (const language of LANGUAGES) {
      const text = textOf(kind, values, language);
      for (const name of JSON.stringify(values).match(/<\w+>/g) ?? []) expect(text).toContain(name);
      expect(text).not.toMatch(/undefined|null|\[object/);
      expect(text).toMatch(/^[A-ZÄÖÜ][^|]+ \| .*[.>]$/);
    }
  });

  it.each(CASES)('of %s with %j are German for German users and English for others', (kind, values) => {
    const [english, german] = LANGUAGES.map((language) =>
      textOf(kind, values, language).replace(/<\w+>/g, ''),
    );
    expect(german).not.toMatch(ENGLISH_WORD);
    expect(english).not.toMatch(GERMAN_WORD);
    expect(english).not.toBe(german);
  });

  it('that stand for several events count them in the language of the user', () => {
    expect(textOfSeveral('en', ['T', 'M.'], 3).join()).toMatch(ENGLISH_WORD);
    expect(textOfSeveral('de', ['T', 'M.'], 3).join()).not.toMatch(ENGLISH_WORD);
  });
});
