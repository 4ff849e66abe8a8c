import { Badge } from '@mantine/core';
import type { WaitingApproval } from '../../api/approvals.ts';
import type { QueuedWithdrawal, Withdrawal, WithdrawalDetail } from '../../api/withdrawals.ts';
import { inLanguage } from '../../ui/language.ts';
import { screeningOf } from './actions.ts';
import { CHECK, CHECK_REASON, STATUS } from './texts.ts';

const T = inLanguage({
  waiting: ['Waits for a second admin', 'Wartet auf zweiten Admin'],
  needsApproval: ['Needs approval', 'Braucht Freigabe'],
  returned: ['Amount returned', 'Betrag zurückgegeben'],
  held: ['Held by limit', 'Angehalten: Grenze'],
  inactive: ['User not active', 'Nutzer nicht aktiv'],
  checksum: ['Checksum of the address is wrong', 'Prüfsumme der Adresse ist falsch'],
  matched: ['On chain', 'Auf der Chain'],
  mismatch: ['Chain contradicts', 'Chain widerspricht'],
  unverified: ['Not verified', 'Nicht geprüft'],
});

export const SCREENING = inLanguage({
  clear: ['Screening clear', 'Prüfung in Ordnung'],
  review: ['Screening: review', 'Prüfung: ansehen'],
  blocked: ['Screening: blocked', 'Prüfung: gesperrt'],
  pending: ['Screening pending', 'Prüfung läuft'],
});
const SCREENING_COLOURS = { clear: 'green', review: 'yellow', blocked: 'red', pending: 'gray' } as const;
const STATUS_COLOURS = {
  pending: 'blue',
  approved: 'petrol',
  processing: 'petrol',
  completed: 'green',
  rejected: 'gray',
  failed: 'red',
} as const;
const CHECK_COLOURS = { matched: 'green', mismatch: 'red', unverified: 'yellow' } as const;

interface StateBadgesProps {
  withdrawal: Withdrawal | QueuedWithdrawal | WithdrawalDetail;
  approval: WaitingApproval;
}

/** The status, and everything that keeps a withdrawal from being paid. */
export function StateBadges({ withdrawal, approval }: StateBadgesProps) {
  const { status, cancelledByUser, releasedAt, userStatus, addressChecksum, chainCheck, chainCheckReason } =
    withdrawal;
  const screening = screeningOf(withdrawal);
  return (
    <span className="button-row">
      <Badge variant="light" color={STATUS_COLOURS[status]}>
        {cancelledByUser ? STATUS.cancelled : STATUS[status]}
      </Badge>
      {status === 'failed' && releasedAt !== null && (
        <Badge variant="light" color="gray">
          {T.returned}
        </Badge>
      )}
      {approval && approval !== 'unknown' && (
        <Badge variant="light" color="yellow">
          {approval.kind === 'withdrawal' ? T.needsApproval : T.waiting}
        </Badge>
      )}
      {withdrawal.heldByPlatformLimit && (
        <Badge variant="light" color="orange">
          {T.held}
        </Badge>
      )}
      {userStatus !== 'active' && (
        <Badge variant="light" color="red">
          {T.inactive}
        </Badge>
      )}
      {addressChecksum === 'mismatch' && (
        <Badge variant="light" color="red">
          {T.checksum}
        </Badge>
      )}
      {screening && screening in SCREENING && (
        <Badge variant="light" color={SCREENING_COLOURS[screening as keyof typeof SCREENING]}>
          {SCREENING[screening as keyof typeof SCREENING]}
        </Badge>
      )}
      {chainCheck && (
        <Badge
          variant="light"
          color={CHECK_COLOURS[chainCheck]}
          title={`${CHECK[chainCheck]}${chainCheckReason ? `: ${CHECK_REASON[chainCheckReason]}` : ''}`}
        >
          {T[chainCheck]}
        </Badge>
      )}
    </span>
  );
}
