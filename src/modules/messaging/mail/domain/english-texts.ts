import type { LanguageTexts } from '../mail.types.js';

export const ENGLISH: LanguageTexts = {
  greeting: (name) => `Hello ${name},`,
  greetingWithoutName: 'Hello,',
  several: (count) => `This has happened ${count} times within ten minutes:`,
  unlisted: (count) => `And ${count} more, which your account shows.`,
  kinds: {
    'withdrawal.requested': {
      subject: ({ amount }) => `Withdrawal of ${amount} requested`,
      message: 'You have requested a withdrawal. The amount is reserved until the withdrawal is carried out.',
      advice: 'If it was not you, cancel the withdrawal and write to our support at once.',
    },
    'withdrawal.approved': {
      subject: ({ amount }) => `Withdrawal of ${amount} approved`,
      message: 'Your withdrawal was approved. It will be carried out and can no longer be cancelled.',
      advice: 'If you have not requested it, write to our support at once.',
    },
    'withdrawal.taken': {
      subject: ({ amount }) => `Withdrawal of ${amount} in progress`,
      message: 'Your withdrawal is being carried out and can no longer be cancelled.',
      advice: 'If you have not requested it, write to our support at once.',
    },
    'withdrawal.completed': {
      subject: ({ amount }) => `Withdrawal of ${amount} completed`,
      message: 'Your withdrawal has been sent.',
    },
    'withdrawal.rejected': {
      subject: ({ amount }) => `Withdrawal of ${amount} rejected`,
      message: 'Your withdrawal was rejected. The amount is available again.',
    },
    'withdrawal.cancelled': {
      subject: ({ amount }) => `Withdrawal of ${amount} cancelled`,
      message: 'Your withdrawal was cancelled. The amount is available again.',
      advice: 'If it was not you, end your other sessions and write to our support.',
    },
    'withdrawal.failed': {
      subject: ({ amount }) => `Withdrawal of ${amount} failed`,
      message: 'Your withdrawal was not carried out. The amount stays reserved until we have looked into it.',
    },
    'withdrawal.released': {
      subject: ({ amount }) => `Withdrawal amount of ${amount} released`,
      message: 'Your withdrawal was not carried out. The amount is available again.',
    },
    'deposit.completed': {
      subject: ({ amount }) => `Deposit of ${amount} credited`,
      message: 'Your deposit has been credited.',
    },
    'security.new-device': {
      subject: () => 'Sign-in from a new device',
      message: 'A new device has signed in to your account.',
      advice: 'If it was not you, change your password at the identity provider and write to our support.',
    },
    'security.new-network': {
      subject: () => 'Sign-in from a new network',
      message:
        'A device that you have used before has signed in to your account from a network that is new for it.',
      advice: 'If it was not you, change your password at the identity provider and write to our support.',
    },
    'security.new-identity': {
      subject: () => 'Sign-in with a new identity',
      message:
        'An account at the identity provider that has never signed in to our platform before has signed in with your e-mail address.',
      advice: 'If it was not you, write to our support at once.',
    },
    'security.status-changed': {
      subject: () => 'Account status changed',
      message: 'The status of your account was changed.',
    },
    'security.wallet-linked': {
      subject: () => 'Wallet added to your account',
      message: 'A wallet can sign in to your account now.',
      advice: 'If it was not you, write to our support at once.',
    },
    'security.wallet-unlinked': {
      subject: () => 'Wallet removed from your account',
      message: 'A wallet cannot sign in to your account any more. Its sessions have ended.',
      advice: 'If it was not you, write to our support at once.',
    },
    'security.email-off': {
      subject: () => 'E-mail switched off',
      message:
        'E-mail about deposits was switched off in your profile. E-mail about withdrawals and the security of your account is still sent.',
      advice: 'If it was not you, end your other sessions and write to our support at once.',
    },
    'security.factor-added': {
      subject: () => 'Second factor of your account changed',
      message: 'A passkey, one-time codes or recovery codes were added to your account.',
      advice: 'If it was not you, end your other sessions and write to our support at once.',
    },
    'security.factor-removed': {
      subject: () => 'Second factor removed from your account',
      message:
        'A passkey or the one-time codes were removed from your account. Withdrawals are refused for a while.',
      advice: 'If it was not you, end your other sessions and write to our support at once.',
    },
    'security.recovery-code-used': {
      subject: () => 'Recovery code used',
      message: 'A recovery code of your account was used. Withdrawals are refused for a while.',
      advice: 'If it was not you, end your other sessions and write to our support at once.',
    },
    'security.second-factor-failed': {
      subject: () => 'Wrong answers of your second factor',
      message:
        'Your second factor was answered wrongly five times within fifteen minutes. Further answers are refused for now.',
      advice: 'If it was not you, somebody has your session: end your other sessions at once.',
    },
    'security.factors-reset': {
      subject: () => 'All second factors of your account removed',
      message:
        'Admins have removed all passkeys, one-time codes and recovery codes of your account. All sessions have ended, and withdrawals are refused for a while.',
      advice: 'If you did not ask for this, write to our support at once.',
    },
    'security.account-locked': {
      subject: () => 'Your account is locked',
      message:
        'Your account was locked. Until it is unlocked, nothing can lead money out of it: withdrawals, and changes of addresses, API keys, wallets, webhooks and second factors are refused.',
      advice:
        'If somebody else has used your account, change your password at the identity provider. Then unlock the account with your second factor, or write to our support.',
    },
    'security.account-unlocked': {
      subject: () => 'Your account is unlocked',
      message: 'Your account was unlocked. Withdrawals are possible again.',
      advice: 'If it was not you, lock the account again at once and write to our support.',
    },
    'security.tier-changed': {
      subject: () => 'Limits of your account changed',
      message: 'Your account has another tier now, which sets the limits of withdrawals and investments.',
      advice: 'If you did not expect this, write to our support.',
    },
    'security.webhook-created': {
      subject: () => 'Webhook added to your account',
      message: 'A webhook was created. Its receiver gets events of your account.',
      advice: 'If it was not you, delete the webhook, end your other sessions and write to our support.',
    },
    'security.webhook-changed': {
      subject: () => 'Webhook of your account changed',
      message: 'The URL, the events, the status or the secret of a webhook was changed.',
      advice: 'If it was not you, end your other sessions and write to our support.',
    },
    'security.webhook-removed': {
      subject: () => 'Webhook removed from your account',
      message: 'A webhook was deleted. Its receiver gets no more events of your account.',
      advice: 'If it was not you, end your other sessions and write to our support.',
    },
    'security.webhook-disabled': {
      subject: () => 'Webhook of your account disabled',
      message:
        'More than 1,000 events for your webhooks wait. The webhook that fails or delays them for longest was disabled.',
      advice: 'Repair its receiver, then activate the webhook again: the events that wait are sent then.',
    },
    'api-key.created': {
      subject: () => 'API key added to your account',
      message: 'An API key was created. A holder of the key can act for you within its scopes.',
      advice: 'If it was not you, revoke the key and write to our support at once.',
    },
    'api-key.revoked': {
      subject: () => 'API key revoked',
      message: 'An API key was revoked. It is refused from now on.',
      advice: 'If it was not you, end your other sessions and write to our support.',
    },
    'api-key.used-from-new-network': {
      subject: () => 'API key used from a new network',
      message: 'An API key was used from a network for the first time.',
      advice: 'If you do not know the network, revoke the key and write to our support at once.',
    },
    'address.added': {
      subject: () => 'Withdrawal address added',
      message: 'An address was added to your withdrawal address book.',
      advice: 'If it was not you, remove the address and write to our support at once.',
    },
    'address.removed': {
      subject: () => 'Withdrawal address removed',
      message: 'An address was removed from your withdrawal address book.',
      advice: 'If it was not you, end your other sessions and write to our support.',
    },
    'email.changed': {
      subject: () => 'E-mail address of your account changed',
      message:
        'The e-mail address of your account was changed. All sessions have ended, all wallets are suspended, and all API keys are revoked.',
      advice: 'If you did not ask for this, write to our support at once.',
    },
    'approval.requested': {
      subject: () => 'A change waits for your approval',
      message:
        'Another admin has requested a change that a second admin approves or rejects: see /api/admin/approvals.',
      advice: 'Ask the requester by another way than e-mail if you did not expect it.',
    },
    'approval.decided': {
      subject: () => 'Your request was decided',
      message: 'A change that you have requested was decided.',
    },
    'admin.password-set': {
      subject: () => 'Password set for your admin account',
      message:
        'Another admin has set the first password of your admin account. Change it before you decide anything.',
      advice: 'If you did not ask for this, tell the other admins at once.',
    },
    'admin.password-changed': {
      subject: () => 'Password of your admin account changed',
      message: 'The password of your admin account was changed. Your other sessions have ended.',
      advice: 'If it was not you, tell the other admins at once.',
    },
    'admin.factor-added': {
      subject: () => 'Second factor added to your admin account',
      message: 'A passkey, one-time codes or new recovery codes were added to your admin account.',
      advice: 'If it was not you, tell the other admins at once.',
    },
    'admin.factor-removed': {
      subject: () => 'Second factor removed from your admin account',
      message: 'A passkey or the one-time codes were removed from your admin account.',
      advice: 'If it was not you, tell the other admins at once.',
    },
    'admin.factor-reset': {
      subject: () => 'Second factors of your admin account reset',
      message:
        'Other admins have removed all second factors of your admin account. Your sessions have ended. Sign in and register a new one.',
      advice: 'If you did not ask for this, tell the other admins at once.',
    },
    'admin.recovery-code-used': {
      subject: () => 'Recovery code of your admin account used',
      message: 'A recovery code was used for your admin account.',
      advice: 'If it was not you, tell the other admins at once.',
    },
    'admin.second-factor-failed': {
      subject: () => 'Wrong answers of a second factor of your admin account',
      message:
        'Answers of a second factor of your admin account were wrong several times. A person who sent them may know your password.',
      advice: 'If it was not you, change your password and tell the other admins at once.',
    },
  },
  details: {
    amount: 'Amount',
    credited: 'Credited',
    network: 'Network',
    to: 'To',
    txHash: 'Transaction',
    device: 'Device',
    clientNetwork: 'From the network',
    status: 'Status',
    tier: 'Tier',
    wallet: 'Wallet',
    label: 'Label',
    address: 'Address',
    usableFrom: 'Usable from',
    keyName: 'Name',
    keyPrefix: 'Begins with',
    webhook: 'Webhook',
    oldEmail: 'Old address',
    newEmail: 'New address',
    suspendedWallets: 'Suspended wallets',
    revokedKeys: 'Revoked API keys',
    disabledWebhooks: 'Disabled webhooks',
    change: 'Change',
    record: 'Record',
    decision: 'Decision',
    requestedBy: 'Requested by',
    decidedBy: 'Decided by',
    reason: 'Reason',
    note: 'Note',
    holdUntil: 'No withdrawals until',
    at: 'Time',
  },
  statuses: { active: 'active', inactive: 'deactivated', suspended: 'suspended' },
  lock: {
    message:
      'If you suspect that somebody else uses your account, lock it. The link works once, for seven days:',
    link: 'Lock my account',
  },
  footer: {
    optional: 'You can switch off e-mail about deposits in your profile.',
    security: 'E-mail about withdrawals and the security of your account cannot be switched off.',
  },
};
