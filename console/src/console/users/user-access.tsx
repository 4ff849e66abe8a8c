import { Alert } from '@mantine/core';
import { Link, useNavigate } from 'react-router';
import { Facts } from '../../ui/facts.tsx';
import { visibleText } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Section } from '../../ui/section.tsx';
import { Moment } from '../../ui/values.tsx';
import { KIND } from '../approvals/texts.ts';
import { Actions } from '../desk/actions.tsx';
import { codeName } from '../record-names.ts';
import { usePermits } from '../session.ts';
import { AREAS, LOCKED_BY, UNLOCK, USER_STATUS } from './texts.ts';
import { accessActions, removeActions, type ActionContext, type UserDetail } from './user-actions.ts';

const T = inLanguage({
  waits: ['Waits for the approval of a second admin:', 'Wartet auf die Freigabe eines zweiten Admins:'],
  requestedBy: [(by: string) => `requested by ${by}`, (by: string) => `beantragt von ${by}`],
  hold: [
    (reason: string) => `Security hold (${reason}): withdrawals are refused until`,
    (reason: string) => `Sicherheitssperre (${reason}): Auszahlungen werden abgelehnt bis`,
  ],
  locked: [
    'The account is locked: nothing that leads money out of it is possible. Since',
    'Das Konto ist gesperrt: Nichts, was Geld herausführt, ist möglich. Seit',
  ],
  lockReason: ['Reason for the lock', 'Grund der Kontosperre'],
  access: ['Access', 'Zugang'],
  status: ['Status', 'Status'],
  by: [(by: string) => `by ${by}`, (by: string) => `von ${by}`],
  statusReason: ['Reason', 'Grund'],
  lock: ['Lock', 'Kontosperre'],
  unlocked: ['not locked', 'nicht gesperrt'],
  holdUntil: ['Security hold', 'Sicherheitssperre'],
  until: ['until', 'bis'],
  none: ['none', 'keine'],
});
/** What keeps the user from the account or from the money in it, and what a second admin has to decide. */
export function Obstacles({ user: { hold, locked }, waiting }: ActionContext) {
  return (
    <>
      {locked && (
        <Alert color="red" mb="md">
          {T.locked} <Moment at={locked.since} />
          {locked.reason && (
            <div>
              {T.lockReason}: {visibleText(locked.reason)}
            </div>
          )}
        </Alert>
      )}
      {hold && (
        <Alert color="yellow" mb="md">
          {T.hold(codeName(hold.reason))} <Moment at={hold.until} />
        </Alert>
      )}
      {waiting.length > 0 && (
        <Alert color="yellow" mb="md">
          {T.waits}
          <ul className="plain-list">
            {waiting.map(({ id, kind, requestedBy }) => (
              <li key={id}>
                <Link to={`/approvals/${id}`}>{KIND[kind]}</Link>, {T.requestedBy(requestedBy)}
              </li>
            ))}
          </ul>
        </Alert>
      )}
    </>
  );
}

/** Who may use the account at present, with what changes it. */
export function Access(context: ActionContext) {
  const { user } = context;
  const { hold, locked } = user;
  const mayChange = usePermits('users:write');
  const mayRemove = usePermits('users:delete');
  const navigate = useNavigate();
  const actions = [
    ...(mayChange ? accessActions(context) : []),
    ...(mayRemove ? removeActions(context, () => void navigate('/users')) : []),
  ];
  return (
    <Section title={T.access}>
      <Facts
        of={[
          [T.status, <Status key="status" {...user} />],
          [T.statusReason, user.status !== 'active' && user.statusHistory[0]?.reason],
          [
            T.lock,
            locked ? (
              <span key="lock">
                {LOCKED_BY[locked.by]}, <Moment at={locked.since} />; {UNLOCK[locked.unlock]}
              </span>
            ) : (
              T.unlocked
            ),
          ],
          [T.lockReason, locked?.reason],
          [
            T.holdUntil,
            hold ? (
              <span key="hold">
                {codeName(hold.reason)}, {T.until} <Moment at={hold.until} />
              </span>
            ) : (
              T.none
            ),
          ],
        ]}
      />
      {actions.length > 0 && (
        <div className="actions-below">
          <Actions isCompact hasReasons actions={actions} areas={AREAS} />
        </div>
      )}
    </Section>
  );
}

function Status({ status, statusHistory: [newest] }: UserDetail) {
  return (
    <span>
      {USER_STATUS[status]}
      {newest && (
        <>
          , <Moment at={newest.changedAt} /> {T.by(newest.changedBy)}
        </>
      )}
    </span>
  );
}
