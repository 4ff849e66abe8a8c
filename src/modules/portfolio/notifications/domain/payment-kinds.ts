import { sentences, type Language } from '../../../../common/message-texts.js';
import type { DepositFailure } from '../../../funds/deposits/entities/deposit.entity.js';
import { AVAILABLE, because, kind } from './notification-kind.js';

interface Booking {
  amount: string;
  /** Written by an admin. */
  note: string;
}

const FAILURES = {
  en: {
    reverted: 'The transaction was reverted on chain.',
    refused: 'The deposit provider refused it.',
    vanished: 'The transaction has not appeared on chain.',
    unproven: 'The transaction contains no transfer to your deposit address.',
  },
  de: {
    reverted: 'Die Transaktion wurde auf der Blockchain zurückgewiesen.',
    refused: 'Der Einzahlungsanbieter hat sie abgelehnt.',
    vanished: 'Die Transaktion ist auf der Blockchain nicht erschienen.',
    unproven: 'Die Transaktion enthält keine Überweisung an Ihre Einzahlungsadresse.',
  },
} satisfies Record<Language, Record<DepositFailure, string>>;

/** Notifications about deposits, withdrawals and bookings by hand. Amounts have their unit. */
export const PAYMENT_KINDS = {
  'deposit.seen': kind<{ received: string; network: string }>('low', ({ received, network }) => ({
    en: [
      'Deposit seen',
      `Your deposit of ${received} is on its way. It waits for confirmations on ${network}.`,
    ],
    de: [
      'Einzahlung erkannt',
      `Ihre Einzahlung von ${received} ist unterwegs. Sie wartet auf Bestätigungen im Netzwerk ${network}.`,
    ],
  })),
  'deposit.completed': kind<{ received: string; credited: string | null }>(
    'high',
    ({ received, credited }) => ({
      en: [
        'Deposit completed',
        `Your deposit of ${received} has been credited${credited === null ? '' : ` as ${credited}`}.`,
      ],
      de: [
        'Einzahlung gutgeschrieben',
        `Ihre Einzahlung von ${received} ist${credited === null ? '' : ` als ${credited}`} gutgeschrieben.`,
      ],
    }),
  ),
  // The minimum is null for events that were recorded before they had it.
  'deposit.held': kind<{ received: string; minimum: string | null }>('high', ({ received, minimum }) => ({
    en: [
      'Deposit held',
      `Your deposit of ${received} has arrived but is not credited yet.${
        minimum === null
          ? ''
          : ` It is below the minimum of ${minimum}: send more to the same address, and all of it is credited when the minimum is reached.`
      }`,
    ],
    de: [
      'Einzahlung noch nicht gutgeschrieben',
      `Ihre Einzahlung von ${received} ist angekommen, aber noch nicht gutgeschrieben.${
        minimum === null
          ? ''
          : ` Sie liegt unter dem Mindestbetrag von ${minimum}: Überweisen Sie mehr an dieselbe Adresse. Sobald der Mindestbetrag erreicht ist, wird alles gutgeschrieben.`
      }`,
    ],
  })),
  // The deposit is held because an admin had booked it by hand (BOOKED_BY_HAND).
  'deposit.covered': kind<{ received: string }>('normal', ({ received }) => ({
    en: [
      'Deposit credited before',
      `Your deposit of ${received} has arrived. Our team had credited it to you before, so it is not credited a second time.`,
    ],
    de: [
      'Einzahlung schon gutgeschrieben',
      `Ihre Einzahlung von ${received} ist angekommen. Unser Team hatte sie Ihnen schon gutgeschrieben, daher wird sie kein zweites Mal gutgeschrieben.`,
    ],
  })),
  'deposit.failed': kind<{ received: string; failure: DepositFailure | null }>(
    'high',
    ({ received, failure }) => ({
      en: [
        'Deposit failed',
        sentences(`Your deposit of ${received} failed and is not credited.`, failure && FAILURES.en[failure]),
      ],
      de: [
        'Einzahlung fehlgeschlagen',
        sentences(
          `Ihre Einzahlung von ${received} ist fehlgeschlagen und wird nicht gutgeschrieben.`,
          failure && FAILURES.de[failure],
        ),
      ],
    }),
  ),
  'withdrawal.requested': kind<{ amount: string; toAddress: string }>('normal', ({ amount, toAddress }) => ({
    en: [
      'Withdrawal requested',
      `You have asked for ${amount} to be sent to ${toAddress}. The amount is reserved.`,
    ],
    de: [
      'Auszahlung beantragt',
      `Sie haben eine Auszahlung von ${amount} an ${toAddress} beantragt. Der Betrag ist reserviert.`,
    ],
  })),
  'withdrawal.taken': kind<{ amount: string }>('normal', ({ amount }) => ({
    en: [
      'Withdrawal in progress',
      `Your withdrawal of ${amount} is being carried out and can no longer be cancelled.`,
    ],
    de: [
      'Auszahlung in Arbeit',
      `Ihre Auszahlung von ${amount} wird ausgeführt und kann nicht mehr storniert werden.`,
    ],
  })),
  'withdrawal.completed': kind<{ amount: string; toAddress: string }>('high', ({ amount, toAddress }) => ({
    en: ['Withdrawal completed', `${amount} have been sent to ${toAddress}.`],
    de: ['Auszahlung ausgeführt', `${amount} wurden an ${toAddress} gesendet.`],
  })),
  'withdrawal.cancelled': kind<{ amount: string }>('normal', ({ amount }) => ({
    en: ['Withdrawal cancelled', `Your withdrawal of ${amount} was cancelled. ${AVAILABLE.en}`],
    de: ['Auszahlung storniert', `Ihre Auszahlung von ${amount} wurde storniert. ${AVAILABLE.de}`],
  })),
  'withdrawal.rejected': kind<{ amount: string; reason: string | null }>('high', ({ amount, reason }) => ({
    en: [
      'Withdrawal rejected',
      sentences(`Your withdrawal of ${amount} was rejected. ${AVAILABLE.en}`, because.en(reason)),
    ],
    de: [
      'Auszahlung abgelehnt',
      sentences(`Ihre Auszahlung von ${amount} wurde abgelehnt. ${AVAILABLE.de}`, because.de(reason)),
    ],
  })),
  'withdrawal.failed': kind<{ amount: string }>('high', ({ amount }) => ({
    en: [
      'Withdrawal failed',
      `Your withdrawal of ${amount} was not carried out. The amount stays reserved until we have looked into it.`,
    ],
    de: [
      'Auszahlung fehlgeschlagen',
      `Ihre Auszahlung von ${amount} wurde nicht ausgeführt. Der Betrag bleibt reserviert, bis wir den Vorgang geprüft haben.`,
    ],
  })),
  'withdrawal.released': kind<{ amount: string }>('high', ({ amount }) => ({
    en: ['Withdrawal amount released', `Your withdrawal of ${amount} was not carried out. ${AVAILABLE.en}`],
    de: [
      'Auszahlungsbetrag freigegeben',
      `Ihre Auszahlung von ${amount} wurde nicht ausgeführt. ${AVAILABLE.de}`,
    ],
  })),
  'withdrawal-limit.held': kind<{ amount: string }>('high', ({ amount }) => ({
    en: [
      'Withdrawal waits',
      `Your withdrawal of ${amount} waits until the daily limit of the platform has room for it. The amount stays reserved, and you can cancel.`,
    ],
    de: [
      'Auszahlung wartet',
      `Ihre Auszahlung von ${amount} wartet, bis das Tageslimit der Plattform dafür ausreicht. Der Betrag bleibt reserviert, und Sie können stornieren.`,
    ],
  })),
  'withdrawal-limit.released': kind<{ amount: string }>('normal', ({ amount }) => ({
    en: [
      'Withdrawal goes on',
      `Your withdrawal of ${amount} waits for the daily limit of the platform no longer.`,
    ],
    de: [
      'Auszahlung geht weiter',
      `Ihre Auszahlung von ${amount} wartet nicht länger auf das Tageslimit der Plattform.`,
    ],
  })),
  'booking.deposit': kind<Booking>('high', ({ amount, note }) => ({
    en: ['Deposit booked', `${amount} have been credited to you. Note: ${note}`],
    de: ['Einzahlung gebucht', `${amount} wurden Ihnen gutgeschrieben. Notiz: ${note}`],
  })),
  'booking.withdrawal': kind<Booking>('high', ({ amount, note }) => ({
    en: ['Withdrawal booked', `${amount} have been paid out to you. Note: ${note}`],
    de: ['Auszahlung gebucht', `${amount} wurden an Sie ausgezahlt. Notiz: ${note}`],
  })),
  'booking.reversal': kind<Booking>('high', ({ amount, note }) => ({
    en: [
      'Deposit taken back',
      `${amount} that were credited for a deposit have been taken back. Note: ${note}`,
    ],
    de: [
      'Einzahlung zurückgenommen',
      `${amount}, die für eine Einzahlung gutgeschrieben waren, wurden zurückgenommen. Notiz: ${note}`,
    ],
  })),
};
