import type { SecondFactor } from '../../../identity/users/security.events.js';
import { sentences } from '../../../../common/message-texts.js';
import type { NotificationLanguage, Payout } from '../notification-texts.types.js';

const AVAILABLE = 'The amount is available again.';
const SUPPORT = 'write to our support';
const END_SESSIONS = `If it was not you, end your other sessions and ${SUPPORT}.`;
const CHANGE_PASSWORD = `If it was not you, change your password at the identity provider and ${SUPPORT}.`;
const UNKNOWN_DEVICE = 'its name is not known';

const FAILURES = {
  reverted: 'The transaction was reverted on chain.',
  refused: 'The deposit provider refused it.',
  vanished: 'The transaction has not appeared on chain.',
  unproven: 'The transaction contains no transfer to your deposit address.',
};

const FAULTS = {
  gone: 'it has answered 410 Gone.',
  failing:
    'it has not accepted an event for three days. Undelivered events are sent when you activate the webhook again.',
  backlog:
    'more than 1,000 events for your webhooks wait, and this webhook fails or delays them for longest. They are sent when you ' +
    'activate the webhook again.',
};

const STATUSES = {
  active: 'Your account is active again.',
  inactive: 'Your account has been deactivated.',
  suspended: 'Your account has been suspended.',
};

const FACTORS: Record<SecondFactor, string> = {
  passkey: 'a passkey',
  totp: 'one-time codes of an app',
  'recovery-codes': 'new recovery codes',
};

export const ENGLISH: NotificationLanguage = {
  several: ([title, message], count) => [
    `${title}: ${count} more`,
    `${count} more within ten minutes. The last one: ${message}`,
  ],
  texts: {
    'deposit.seen': ({ received, network }) => [
      'Deposit seen',
      `Your deposit of ${received} is on its way. It waits for confirmations on ${network}.`,
    ],
    'deposit.completed': ({ received, credited }) => [
      'Deposit completed',
      `Your deposit of ${received} has been credited${credited === null ? '' : ` as ${credited}`}.`,
    ],
    'deposit.held': ({ received, minimum }) => [
      'Deposit held',
      `Your deposit of ${received} has arrived but is not credited yet.${
        minimum === null
          ? ''
          : ` It is below the minimum of ${minimum}: send more to the same address, and all of it is credited when the minimum is reached.`
      }`,
    ],
    'deposit.covered': ({ received }) => [
      'Deposit credited before',
      `Your deposit of ${received} has arrived. Our team had credited it to you before, so it is not credited a second time.`,
    ],
    'deposit.failed': ({ received, failure }) => [
      'Deposit failed',
      sentences(`Your deposit of ${received} failed and is not credited.`, failure && FAILURES[failure]),
    ],
    'investment.requested': ({ amount, strategy }) => [
      'Investment requested',
      `Your investment of ${amount} in ${strategy} waits for approval. Until then it earns nothing, and it counts as invested.`,
    ],
    'investment.created': ({ amount, strategy }) => [
      'Investment created',
      `You have invested ${amount} in ${strategy}.`,
    ],
    'investment.approved': ({ amount, strategy }) => [
      'Investment approved',
      `Your investment of ${amount} in ${strategy} is approved and active.`,
    ],
    'investment.rejected': ({ amount, strategy, reason }) => [
      'Investment rejected',
      sentences(
        `Your investment of ${amount} in ${strategy} was not approved. ${AVAILABLE}`,
        because(reason),
      ),
    ],
    'investment.cancelled': ({ amount, strategy, payout }) => [
      'Investment cancelled',
      `Your investment of ${amount} in ${strategy} is cancelled. ${payout ? payoutText(payout) : AVAILABLE}`,
    ],
    'investment.partially-closed': ({ strategy, payout, left }) => [
      'Investment partially closed',
      sentences(
        `Part of your investment in ${strategy} is closed. ${payoutText(payout)}`,
        left && `${left} stay invested.`,
      ),
    ],
    'investment.closed': ({ strategy, payout }) => [
      'Investment closed',
      `Your investment in ${strategy} is closed. ${payoutText(payout)}`,
    ],
    'investment.moved-from': ({ principal, value, from, to }) => [
      'Investment closed',
      `Your investment of ${principal} in ${from} is closed. Its value of ${value} goes on in ${to}.`,
    ],
    'investment.moved-into': ({ value, from, to }) => [
      'Investment created',
      `You have moved ${value} from ${from} into ${to}.`,
    ],
    'withdrawal.requested': ({ amount, toAddress }) => [
      'Withdrawal requested',
      `You have asked for ${amount} to be sent to ${toAddress}. The amount is reserved.`,
    ],
    'withdrawal.taken': ({ amount }) => [
      'Withdrawal in progress',
      `Your withdrawal of ${amount} is being carried out and can no longer be cancelled.`,
    ],
    'withdrawal.completed': ({ amount, toAddress }) => [
      'Withdrawal completed',
      `${amount} have been sent to ${toAddress}.`,
    ],
    'withdrawal.cancelled': ({ amount }) => [
      'Withdrawal cancelled',
      `Your withdrawal of ${amount} was cancelled. ${AVAILABLE}`,
    ],
    'withdrawal.rejected': ({ amount, reason }) => [
      'Withdrawal rejected',
      sentences(`Your withdrawal of ${amount} was rejected. ${AVAILABLE}`, because(reason)),
    ],
    'withdrawal.failed': ({ amount }) => [
      'Withdrawal failed',
      `Your withdrawal of ${amount} was not carried out. The amount stays reserved until we have looked into it.`,
    ],
    'withdrawal.released': ({ amount }) => [
      'Withdrawal amount released',
      `Your withdrawal of ${amount} was not carried out. ${AVAILABLE}`,
    ],
    'withdrawal-limit.held': ({ amount }) => [
      'Withdrawal waits',
      `Your withdrawal of ${amount} waits until the daily limit of the platform has room for it. The amount stays reserved, and you can cancel.`,
    ],
    'withdrawal-limit.released': ({ amount }) => [
      'Withdrawal goes on',
      `Your withdrawal of ${amount} waits for the daily limit of the platform no longer.`,
    ],
    'booking.deposit': ({ amount, note }) => [
      'Deposit booked',
      `${amount} have been credited to you. Note: ${note}`,
    ],
    'booking.withdrawal': ({ amount, note }) => [
      'Withdrawal booked',
      `${amount} have been paid out to you. Note: ${note}`,
    ],
    'booking.reversal': ({ amount, note }) => [
      'Deposit taken back',
      `${amount} that were credited for a deposit have been taken back. Note: ${note}`,
    ],
    earnings: ({ from, to, days, amount, isLoss }) => [
      days === 1
        ? `Daily ${isLoss ? 'loss' : 'earnings'}`
        : `${isLoss ? 'Loss' : 'Earnings'} of ${days} days`,
      `Your investments ${isLoss ? 'lost' : 'earned'} ${amount} ${from === to ? `on ${to}` : `from ${from} to ${to}`}.`,
    ],
    suspension: ({ strategy }) => [
      'Strategy suspended',
      `${strategy} is suspended: your investments in it are paused. They keep their value and do not grow. ` +
        'You can close them or move them to another strategy at any time.',
    ],
    'webhook.disabled': ({ host, fault }) => [
      'Webhook disabled',
      `No more events are sent to ${host}: ${FAULTS[fault]}`,
    ],
    'security.new-device': ({ device, network }) => [
      'Sign-in from a new device',
      `A new device has signed in to your account from the network ${network}: ${device ?? UNKNOWN_DEVICE}. ${CHANGE_PASSWORD}`,
    ],
    'security.new-network': ({ device, network }) => [
      'Sign-in from a new network',
      `A device that you have used before has signed in to your account from a new network, ${network}: ${device ?? UNKNOWN_DEVICE}. ${CHANGE_PASSWORD}`,
    ],
    'security.new-identity': ({ holdUntil }) => [
      'Sign-in with a new identity',
      'An account at the identity provider that has never signed in here before has signed in with your e-mail address. ' +
        (holdUntil === null
          ? ''
          : `Withdrawals, new withdrawal addresses, wallets and API keys that can write are refused until ${holdUntil}. `) +
        `If it was not you, ${SUPPORT} at once.`,
    ],
    'security.status-changed': ({ status, reason }) => [
      'Account status changed',
      sentences(STATUSES[status], because(reason)),
    ],
    'security.wallet-linked': ({ wallet }) => [
      'Wallet linked',
      `The wallet ${wallet} can sign in to your account now.`,
    ],
    'security.wallet-unlinked': ({ wallet }) => [
      'Wallet unlinked',
      `The wallet ${wallet} cannot sign in to your account any more. Its sessions have ended.`,
    ],
    'security.wallet-suspended': ({ wallet }) => [
      'Wallet suspended',
      `Your e-mail address was changed. The wallet ${wallet} cannot sign in until you link it again.`,
    ],
    'security.email-off': () => [
      'E-mail switched off',
      `E-mail about deposits was switched off. E-mail about withdrawals and the security of your account is still sent. ${END_SESSIONS}`,
    ],
    'security.factor-added': ({ factor }) => [
      'Second factor added',
      `Added to your account: ${FACTORS[factor]}. ${END_SESSIONS}`,
    ],
    'security.factor-removed': ({ factor }) => [
      'Second factor removed',
      `Removed from your account: ${FACTORS[factor]}. Withdrawals are refused for a while. ${END_SESSIONS}`,
    ],
    'security.recovery-code-used': () => [
      'Recovery code used',
      `A recovery code of your account was used. Withdrawals are refused for a while. ${END_SESSIONS}`,
    ],
    'security.second-factor-failed': () => [
      'Wrong answers of a second factor',
      `Your second factor was answered wrongly five times within fifteen minutes. ${END_SESSIONS}`,
    ],
    'security.factors-reset': () => [
      'Second factors removed',
      'Two admins have removed all second factors of your account. All sessions have ended, and withdrawals are refused for a while.',
    ],
    'security.account-locked': ({ reason }) => [
      'Account locked',
      sentences(
        'Your account was locked. Until it is unlocked, withdrawals and changes of addresses, API keys, wallets, webhooks and second factors are refused.',
        because(reason),
      ),
    ],
    'security.account-unlocked': () => [
      'Account unlocked',
      'Your account was unlocked. Withdrawals are possible again.',
    ],
    'security.tier-changed': ({ tier }) => [
      'Limits changed',
      `The limits of the tier "${tier}" apply to your account now. If you did not expect this, ${SUPPORT}.`,
    ],
    'security.webhook-created': ({ host }) => [
      'Webhook created',
      `A webhook to ${host} was created. ${END_SESSIONS}`,
    ],
    'security.webhook-changed': ({ host }) => [
      'Webhook changed',
      `A webhook to ${host} was changed. ${END_SESSIONS}`,
    ],
    'security.webhook-removed': ({ host }) => [
      'Webhook removed',
      `A webhook to ${host} was removed. ${END_SESSIONS}`,
    ],
    'email.changed': () => [
      'E-mail address changed',
      'The e-mail address of your account was changed. Your sessions have ended, your wallets are suspended, your API keys are ' +
        `revoked and your webhooks are disabled. If you have not asked for it, ${SUPPORT}.`,
    ],
    'address.added': ({ address, label }) => [
      'Withdrawal address added',
      `The address ${address} was added to your address book as "${label}". ` +
        `If it was not you, remove it, end your other sessions and ${SUPPORT}.`,
    ],
    'address.removed': ({ address, label }) => [
      'Withdrawal address removed',
      `The address ${address}, "${label}", was removed from your address book. ${END_SESSIONS}`,
    ],
    'api-key.created': ({ keyName, prefix }) => [
      'API key created',
      `The API key "${keyName}" (${prefix}…) was created. Revoke it if you did not create it.`,
    ],
    'api-key.revoked': ({ keyName, prefix }) => [
      'API key revoked',
      `The API key "${keyName}" (${prefix}…) was revoked. It is refused from now on.`,
    ],
    'api-key.used-from-new-network': ({ keyName, prefix, address }) => [
      'API key used from a new network address',
      `The API key "${keyName}" (${prefix}…) was used from ${address} for the first time. Revoke it if you do not know this address.`,
    ],
  },
};

function payoutText({ paid, principal, growth, fees }: Payout): string {
  return `${paid} are available again: ${principal} principal, ${growth} earnings, ${fees} fees.`;
}

/** The reason of an admin. */
function because(reason: string | null): string | null {
  return reason && `Reason: ${reason}`;
}
