import { phraseText, translatedText, type Language, type Phrase } from '../../../../common/message-texts.js';
import { MICRO_SCALE, type Money } from '../../../../common/money.js';
import type { NewAlert } from '../../../core/alerts/alerts.types.js';
import type { Deposit, DepositFailure } from '../entities/deposit.entity.js';
import { VANISHED_AFTER_HOURS } from './deposit.state-machine.js';
import type { ProviderReport } from './deposit-reports.js';

// Texts about deposits: for users, why a deposit is not credited and what to do; for admins, alerts.

/** Why a deposit is not credited, in the timelines of users. Records hold these sentences in English. */
export const DEPOSIT_REASONS = {
  reverted: {
    en: 'The transaction was reverted on chain.',
    de: 'Die Transaktion wurde auf der Blockchain zurückgewiesen.',
  },
  refused: {
    en: 'The deposit provider refused the deposit.',
    de: 'Der Einzahlungsanbieter hat die Einzahlung abgelehnt.',
  },
  vanished: {
    en: `The transaction has not been seen for ${VANISHED_AFTER_HOURS} hours.`,
    de: `Die Transaktion ist seit ${VANISHED_AFTER_HOURS} Stunden nicht erschienen.`,
  },
  unproven: {
    en: 'The transaction contains no transfer to your deposit address.',
    de: 'Die Transaktion enthält keine Überweisung an Ihre Einzahlungsadresse.',
  },
  neverMined: {
    en: `The transaction was not mined within ${VANISHED_AFTER_HOURS} hours.`,
    de: `Die Transaktion wurde ${VANISHED_AFTER_HOURS} Stunden lang in keinen Block aufgenommen.`,
  },
  bookedByHand: {
    en: 'Our team credited this transaction to you manually before it was reported to us, so it is not credited a second time.',
    de: 'Unser Team hatte Ihnen diese Transaktion schon gutgeschrieben, bevor sie uns gemeldet wurde. Sie wird kein zweites Mal gutgeschrieben.',
  },
  belowMinimum: {
    en: 'The deposit is below the minimum of {minimum}.',
    de: 'Die Einzahlung liegt unter dem Mindestbetrag von {minimum}.',
  },
} satisfies Record<DepositFailure | 'neverMined' | 'bookedByHand' | 'belowMinimum', Phrase>;

/** What the user of a deposit that is not credited can do, and why an unconfirmed deposit is not credited yet. */
const TEXTS = {
  afterFailure: {
    en: 'Nothing was credited. If money left your wallet, write to support with the transaction hash.',
    de: 'Es wurde nichts gutgeschrieben. Wenn Ihre Wallet das Geld gesendet hat, schreiben Sie dem Support mit dem Hash der Transaktion.',
  },
  afterBooking: {
    en: 'Nothing to do: the credit is in your list of transactions. If its amount is wrong, write to support with the transaction hash.',
    de: 'Sie müssen nichts tun: Die Gutschrift steht in Ihrer Liste der Transaktionen. Wenn der Betrag falsch ist, schreiben Sie dem Support mit dem Hash der Transaktion.',
  },
  sendMore: {
    en: 'Send more to the same deposit address: when the deposits to it reach {minimum} in total, all of them are credited.',
    de: 'Überweisen Sie mehr an dieselbe Einzahlungsadresse: Sobald die Einzahlungen dorthin zusammen {minimum} erreichen, werden alle gutgeschrieben.',
  },
  notShown: {
    en: 'The chain does not show the transfer yet.',
    de: 'Die Blockchain zeigt die Überweisung noch nicht.',
  },
  waitForChain: {
    en: `Nothing to do: the deposit is credited when the transfer has {required} confirmations. If the chain does not show the transfer within ${VANISHED_AFTER_HOURS} hours, the claim fails.`,
    de: `Sie müssen nichts tun: Die Einzahlung wird gutgeschrieben, wenn die Überweisung {required} Bestätigungen hat. Zeigt die Blockchain sie innerhalb von ${VANISHED_AFTER_HOURS} Stunden nicht, verfällt die Meldung.`,
  },
  unconfirmed: {
    en: 'The transaction waits for its first confirmation.',
    de: 'Die Transaktion wartet auf ihre erste Bestätigung.',
  },
  confirming: {
    en: 'The transaction has {confirmations} of {required} confirmations.',
    de: 'Die Transaktion hat {confirmations} von {required} Bestätigungen.',
  },
  waitForConfirmations: {
    en: 'Nothing to do: the deposit is credited after {required} confirmations.',
    de: 'Sie müssen nichts tun: Die Einzahlung wird nach {required} Bestätigungen gutgeschrieben.',
  },
} satisfies Record<string, Phrase>;

type ExplainedDeposit = Pick<
  Deposit,
  | 'status'
  | 'currency'
  | 'holdReason'
  | 'confirmations'
  | 'requiredConfirmations'
  | 'failure'
  | 'reason'
  | 'onlyClaimed'
>;

export interface DepositExplanation {
  /** Why the deposit is not credited. */
  readonly reason: string | null;
  readonly nextStep: string | null;
}

/** Both texts are null for a credited deposit. Records of deposits hold the English reason. */
export function explainDeposit(
  deposit: ExplainedDeposit,
  minimum: Money,
  language: Language = 'en',
): DepositExplanation {
  const values = {
    minimum: `${minimum.toWire()} ${deposit.currency}`,
    confirmations: String(deposit.confirmations),
    required: String(deposit.requiredConfirmations),
  };
  const explain = (reason: Phrase, nextStep: Phrase): DepositExplanation => ({
    reason: phraseText(reason, language, values),
    nextStep: phraseText(nextStep, language, values),
  });
  const { status, failure, reason, holdReason, onlyClaimed } = deposit;
  if (status === 'completed') return { reason: null, nextStep: null };
  if (status === 'failed') {
    // The stored reason of a refusal has the provider's words.
    const stored = failure === 'refused' ? DEPOSIT_REASONS.refused.en : reason;
    return {
      reason: stored && translatedText(stored, language, Object.values(DEPOSIT_REASONS)),
      nextStep: TEXTS.afterFailure[language],
    };
  }
  if (holdReason === 'BOOKED_BY_HAND') return explain(DEPOSIT_REASONS.bookedByHand, TEXTS.afterBooking);
  if (holdReason === 'BELOW_MINIMUM') return explain(DEPOSIT_REASONS.belowMinimum, TEXTS.sendMore);
  if (onlyClaimed) return explain(TEXTS.notShown, TEXTS.waitForChain);
  return explain(status === 'confirming' ? TEXTS.confirming : TEXTS.unconfirmed, TEXTS.waitForConfirmations);
}

type PostedDeposit = Pick<
  Deposit,
  'id' | 'userId' | 'txHash' | 'network' | 'currency' | 'amount' | 'credited'
>;

/** What arrived, rounded down to six decimals. */
function receivedText({
  amount,
  currency,
  network,
}: Pick<Deposit, 'amount' | 'currency' | 'network'>): string {
  return `${amount.roundDown(MICRO_SCALE).toWire()} ${currency} over ${network}`;
}

function subjectOf({ id, userId, txHash }: PostedDeposit): NewAlert['subject'] {
  return { type: 'deposit', id, userId, txHash };
}

/**
 * Alert for a credited deposit that the chain no longer shows, or one that was credited automatically or by hand
 * (BOOKED_BY_HAND) and that the provider now reports as failed. The message ends with the clause `contradiction`.
 */
export function reorganisedAlert(deposit: PostedDeposit, contradiction: string): NewAlert {
  const { id, currency, credited } = deposit;
  const isCreditedInUsdc = credited !== null && currency !== 'ETH';
  const remedy = isCreditedInUsdc
    ? `take the credited amount back by POST /api/admin/transactions with the type reversal and the depositId ${id}.`
    : 'no transaction takes this credit back exactly; a withdrawal by hand takes USDC from the balances of the user and of custody.';
  const state = credited === null ? 'credited by hand' : 'credited';
  return {
    kind: 'deposit-reorganised',
    subject: subjectOf(deposit),
    message: `A deposit of ${receivedText(deposit)} is ${state}, and ${contradiction}.`,
    nextStep:
      "Do not pay the user's withdrawals: reject them or leave them pending. Look the transaction up on chain and at the " +
      `deposit provider. If the transfer has not happened, ${remedy}`,
  };
}

/** Alert for a failed deposit of which `source` now shows success. */
export function paidAfterFailureAlert(
  deposit: PostedDeposit,
  source: 'chain' | 'deposit provider',
): NewAlert {
  return {
    kind: 'deposit-reorganised',
    subject: subjectOf(deposit),
    message:
      `A deposit of ${receivedText(deposit)} has failed, and the ${source} now reports ` +
      'that it succeeded. It is not credited.',
    nextStep:
      'Look the transaction up on chain and at the deposit provider. If the transfer has happened, book it by ' +
      'POST /api/admin/transactions with the type deposit, which is in USDC over ERC20.',
  };
}

/** Alert for a large credit about which the deposit provider alone decides, because the service does not read the chain. */
export function largeDepositAlert(deposit: PostedDeposit, credited: Money): NewAlert {
  const { id, txHash } = deposit;
  return {
    kind: 'large-deposit',
    subject: subjectOf(deposit),
    message:
      `A deposit of ${receivedText(deposit)} is credited with ${credited.toWire()} USDC on ` +
      `the word of the deposit provider alone, with transaction ${txHash}. The service does not read this chain.`,
    nextStep:
      "Compare amount, address and transaction with the deposit provider's console and an explorer of the chain before the money " +
      `leaves: do not approve or pay withdrawals of this user until then. If the transfer has not happened, take the credit back by ` +
      `POST /api/admin/transactions with the type reversal and the depositId ${id}; if it has, resolve this alert.`,
  };
}

/** Alert for a held deposit that is neither released nor reversed, because the ledger holds another amount for it. */
export function heldAmountAlert({ id, userId, currency, amount }: PostedDeposit, held: Money): NewAlert {
  return {
    kind: 'record-differs',
    subject: { type: 'deposit', id, userId },
    message: `The held deposit ${id} says ${amount.toString()} ${currency}, and the ledger holds ${held.toString()} ${currency} for it. It is not credited.`,
    nextStep:
      'Somebody may have changed the record in the database. Read GET /api/admin/integrity, find out who had access, and correct the ' +
      'record before the deposit is credited.',
  };
}

/** Alert for a deposit that the provider reports as successful and without the confirmations that complete it. */
export function unconfirmedAlert(
  deposit: PostedDeposit & Pick<Deposit, 'confirmations' | 'requiredConfirmations'>,
): NewAlert {
  const { txHash, confirmations, requiredConfirmations } = deposit;
  return {
    kind: 'deposit-unconfirmed',
    subject: subjectOf(deposit),
    message:
      `The deposit provider reports that a deposit of ${receivedText(deposit)} succeeded, with ` +
      `${confirmations} of ${requiredConfirmations} confirmations. It is not credited.`,
    nextStep:
      `Look the transaction ${txHash} up with an explorer of the chain. If it has ${requiredConfirmations} confirmations, ask the deposit ` +
      'provider to send the callback with them: the deposit is then credited, and this alert resolves itself.' +
      // A hash whose deposit has confirmations is refused with DUPLICATE_TX_HASH.
      (confirmations > 0
        ? ''
        : ' If the provider sends none, book the amount by POST /api/admin/transactions with the type deposit and the hash, which is in ' +
          'USDC over ERC20: a later callback is then not credited a second time.'),
  };
}

/** Alert for a report, under a second id of the provider, of a transfer that the chain shows once. */
export function secondTransferAlert(first: Pick<Deposit, 'id' | 'userId'>, second: ProviderReport): NewAlert {
  const { id, hash } = second;
  return {
    kind: 'second-transfer',
    subject: { type: 'provider-deposit', id, userId: first.userId, txHash: hash },
    message:
      `The deposit provider reports ${receivedText(second)} under the id ${id}, in a transaction ` +
      `in which the chain shows one transfer, the deposit ${first.id}. The amount under the id ${id} is not credited.`,
    nextStep:
      'Ask the deposit provider why it reports the transfer twice. If the address was also paid in another way, book that amount by ' +
      'POST /api/admin/transactions with the type deposit and without a hash, which is in USDC over ERC20; otherwise resolve this alert.',
  };
}
