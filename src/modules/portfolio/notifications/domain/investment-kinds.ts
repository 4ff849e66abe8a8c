import { sentences } from '../../../../common/message-texts.js';
import { AVAILABLE, because, kind } from './notification-kind.js';

/** What a closing makes available, and the parts of the sum. */
export interface Payout {
  readonly paid: string;
  readonly principal: string;
  readonly growth: string;
  readonly fees: string;
}

interface EarningsPeriod {
  from: string;
  to: string;
  days: number;
  /** Without sign. */
  amount: string;
  isLoss: boolean;
}

const payoutText = {
  en: ({ paid, principal, growth, fees }: Payout) =>
    `${paid} are available again: ${principal} principal, ${growth} earnings, ${fees} fees.`,
  de: ({ paid, principal, growth, fees }: Payout) =>
    `${paid} sind wieder verfügbar: ${principal} Anlagebetrag, ${growth} Ertrag, ${fees} Gebühren.`,
};

/** Notifications about investments, their earnings and their strategies. Amounts have their unit. */
export const INVESTMENT_KINDS = {
  'investment.requested': kind<{ amount: string; strategy: string }>('normal', ({ amount, strategy }) => ({
    en: [
      'Investment requested',
      `Your investment of ${amount} in ${strategy} waits for approval. Until then it earns nothing, and it counts as invested.`,
    ],
    de: [
      'Anlage beantragt',
      `Ihre Anlage von ${amount} in ${strategy} wartet auf Freigabe. Bis dahin bringt sie keinen Ertrag; der Betrag zählt als angelegt.`,
    ],
  })),
  'investment.created': kind<{ amount: string; strategy: string }>('normal', ({ amount, strategy }) => ({
    en: ['Investment created', `You have invested ${amount} in ${strategy}.`],
    de: ['Anlage begonnen', `Sie haben ${amount} in ${strategy} angelegt.`],
  })),
  'investment.approved': kind<{ amount: string; strategy: string }>('normal', ({ amount, strategy }) => ({
    en: ['Investment approved', `Your investment of ${amount} in ${strategy} is approved and active.`],
    de: ['Anlage freigegeben', `Ihre Anlage von ${amount} in ${strategy} ist freigegeben und aktiv.`],
  })),
  'investment.rejected': kind<{ amount: string; strategy: string; reason: string | null }>(
    'normal',
    ({ amount, strategy, reason }) => ({
      en: [
        'Investment rejected',
        sentences(
          `Your investment of ${amount} in ${strategy} was not approved. ${AVAILABLE.en}`,
          because.en(reason),
        ),
      ],
      de: [
        'Anlage abgelehnt',
        sentences(
          `Ihre Anlage von ${amount} in ${strategy} wurde nicht freigegeben. ${AVAILABLE.de}`,
          because.de(reason),
        ),
      ],
    }),
  ),
  'investment.cancelled': kind<{ amount: string; strategy: string; payout: Payout | null }>(
    'normal',
    ({ amount, strategy, payout }) => ({
      en: [
        'Investment cancelled',
        `Your investment of ${amount} in ${strategy} is cancelled. ${payout ? payoutText.en(payout) : AVAILABLE.en}`,
      ],
      de: [
        'Anlage storniert',
        `Ihre Anlage von ${amount} in ${strategy} ist storniert. ${payout ? payoutText.de(payout) : AVAILABLE.de}`,
      ],
    }),
  ),
  'investment.partially-closed': kind<{ strategy: string; payout: Payout; left: string | null }>(
    'normal',
    ({ strategy, payout, left }) => ({
      en: [
        'Investment partially closed',
        sentences(
          `Part of your investment in ${strategy} is closed. ${payoutText.en(payout)}`,
          left && `${left} stay invested.`,
        ),
      ],
      de: [
        'Anlage teilweise aufgelöst',
        sentences(
          `Ein Teil Ihrer Anlage in ${strategy} ist aufgelöst. ${payoutText.de(payout)}`,
          left && `${left} bleiben angelegt.`,
        ),
      ],
    }),
  ),
  'investment.closed': kind<{ strategy: string; payout: Payout }>('normal', ({ strategy, payout }) => ({
    en: ['Investment closed', `Your investment in ${strategy} is closed. ${payoutText.en(payout)}`],
    de: ['Anlage aufgelöst', `Ihre Anlage in ${strategy} ist aufgelöst. ${payoutText.de(payout)}`],
  })),
  'investment.moved-from': kind<{ principal: string; value: string; from: string; to: string }>(
    'normal',
    ({ principal, value, from, to }) => ({
      en: [
        'Investment closed',
        `Your investment of ${principal} in ${from} is closed. Its value of ${value} goes on in ${to}.`,
      ],
      de: [
        'Anlage aufgelöst',
        `Ihre Anlage von ${principal} in ${from} ist aufgelöst. Der Wert von ${value} läuft in ${to} weiter.`,
      ],
    }),
  ),
  'investment.moved-into': kind<{ value: string; from: string; to: string }>(
    'normal',
    ({ value, from, to }) => ({
      en: ['Investment created', `You have moved ${value} from ${from} into ${to}.`],
      de: ['Anlage begonnen', `Sie haben ${value} von ${from} nach ${to} umgeschichtet.`],
    }),
  ),
  earnings: kind<EarningsPeriod>('low', ({ from, to, days, amount, isLoss }) => ({
    en: [
      days === 1
        ? `Daily ${isLoss ? 'loss' : 'earnings'}`
        : `${isLoss ? 'Loss' : 'Earnings'} of ${days} days`,
      `Your investments ${isLoss ? 'lost' : 'earned'} ${amount} ${from === to ? `on ${to}` : `from ${from} to ${to}`}.`,
    ],
    de: [
      days === 1
        ? `Tages${isLoss ? 'verlust' : 'ertrag'}`
        : `${isLoss ? 'Verlust' : 'Ertrag'} von ${days} Tagen`,
      `Ihre Anlagen haben ${from === to ? `am ${to}` : `vom ${from} bis ${to}`} ${amount} ${isLoss ? 'verloren' : 'verdient'}.`,
    ],
  })),
  suspension: kind<{ strategy: string }>('high', ({ strategy }) => ({
    en: [
      'Strategy suspended',
      `${strategy} is suspended: your investments in it are paused. They keep their value and do not grow. ` +
        'You can close them or move them to another strategy at any time.',
    ],
    de: [
      'Strategie ausgesetzt',
      `${strategy} ist ausgesetzt: Ihre Anlagen darin sind angehalten. Sie behalten ihren Wert und wachsen nicht. ` +
        'Sie können sie jederzeit auflösen oder in eine andere Strategie umschichten.',
    ],
  })),
};
