import { api, type Answer, type RequestOf } from '../../api/client.ts';
import type { Approval } from '../../api/approvals.ts';
import { isWaiting } from '../../api/refused-state.ts';
import { withStepUp } from '../../api/step-up.ts';
import { inLanguage } from '../../ui/language.ts';
import type { DeskAction } from '../desk/actions.tsx';
import type { Field } from '../desk/desk-dialog.tsx';
import type { Outcome } from '../outcome.ts';
import { ACTION, DONE, EFFECT } from './action-texts.ts';
import { USER_STATUS } from './texts.ts';

export type UserDetail = Extract<Answer<'GET /api/admin/users/{id}'>, { data: { stats: unknown } }>['data'];

const T = inLanguage({
  reason: ['Reason', 'Grund'],
  forAdmins: ['The second admin reads it.', 'Der zweite Admin liest ihn.'],
  forUser: ['The user reads it, too.', 'Auch der Nutzer liest ihn.'],
  forLog: ['Reason (optional)', 'Grund (freiwillig)'],
  inLog: ['Only the audit log gets it.', 'Nur das Audit-Log erhält ihn.'],
  status: ['New status', 'Neuer Status'],
  notify: ['Notify the user?', 'Nutzer benachrichtigen?'],
  email: ['New e-mail address', 'Neue E-Mail-Adresse'],
  tier: ['New limits', 'Neue Grenzen'],
  again: [(name: string) => `${name}, again`, (name: string) => `${name}, noch einmal`],
  againMeaning: [
    'The present ones can be set again: that mends records of the user that contradict each other.',
    'Die jetzigen lassen sich noch einmal setzen: Das berichtigt Angaben über den Nutzer, die sich widersprechen.',
  ],
  sameEmail: [
    'The user has this e-mail address already. Nothing has changed.',
    'Der Nutzer hat diese E-Mail-Adresse schon. Es hat sich nichts geändert.',
  ],
  sameTier: ['The user has these limits.', 'Der Nutzer hat diese Grenzen.'],
  waiting: [
    (label: string, by: string) =>
      `“${label}” waits for the approval of a second admin, which ${by} has requested.`,
    (label: string, by: string) =>
      `„${label}“ wartet auf die Freigabe eines zweiten Admins, die ${by} beantragt hat.`,
  ],
  oneTier: [
    'There are no other limits: the settings of the service have one tier.',
    'Es gibt keine anderen Grenzen: Die Einstellungen des Dienstes haben nur eine Stufe.',
  ],
  noTiers: ['The limits could not be read yet.', 'Die Grenzen sind noch nicht gelesen.'],
  money: [
    'The account cannot be erased, because there are records of money about the user.',
    'Das Konto lässt sich nicht löschen, weil es Vorgänge mit Geld des Nutzers gibt.',
  ],
});
const NOTIFY = inLanguage({ true: ['yes', 'ja'], false: ['no', 'nein'] });

export type Tier = Answer<'GET /api/admin/tiers'>['data'][number];
type Kind = Approval['kind'];
type Name = keyof typeof ACTION & keyof typeof EFFECT;

/** What the actions about a user need to know. */
export interface ActionContext {
  readonly user: UserDetail;
  /** The changes of the user that wait for a second admin. */
  readonly waiting: readonly Approval[];
}

const texts = (name: Name) => ({
  ...{ name, label: ACTION[name], effect: EFFECT[name], done: DONE[name] },
});

const reasonField = (description: string): Field => ({
  ...{ name: 'reason', label: T.reason, kind: 'reason', description },
});
const REASON = reasonField(T.forAdmins);
const OPTIONAL_REASON: Field = {
  ...{ name: 'reason', label: T.forLog, kind: 'reason', description: T.inLog, isOptional: true },
};

const outcomeOf = ({ data }: { data: object }): Outcome => ({ isWaiting: isWaiting(data) });
/** The outcome of a change; `text` if the service has made no change, because the user has the requested value already (`isSame`). */
const outcomeUnless = (isSame: boolean, text: string, answer: { data: object }): Outcome =>
  isSame && !isWaiting(answer.data) ? { color: 'yellow', message: text } : outcomeOf(answer);

/** Why a change that waits for a second admin is not requested again. */
function waitingFor({ waiting }: ActionContext, name: Name, kind: Kind): string | undefined {
  const request = waiting.find((approval) => approval.kind === kind);
  return request && T.waiting(ACTION[name], request.requestedBy);
}

/** An action whose only field is the reason, and which a second admin approves. */
const approvedAction = (
  context: ActionContext,
  name: Name,
  kind: Kind,
  send: (reason: string) => Promise<{ data: object }>,
): DeskAction => ({
  ...texts(name),
  blocked: waitingFor(context, name, kind),
  fields: [REASON],
  send: async ({ reason = '' }) => outcomeOf(await send(reason)),
});

/** Changes of the account itself, for `users:write`. */
export const accountActions = (context: ActionContext, tiers: readonly Tier[] | undefined): DeskAction[] => {
  const { id, email: currentEmail, tier: current } = context.user;
  const others = (tiers ?? []).filter((tier) => tier.id !== current.id);
  const names = Object.fromEntries(others.map(({ id: tierId, name }) => [tierId, name]));
  const choices = current.name === null ? names : { ...names, [current.id]: T.again(current.name) };
  const path = { id };
  return [
    {
      ...texts('email'),
      blocked: waitingFor(context, 'email', 'user.email-change'),
      isDangerous: true,
      fields: [{ name: 'email', label: T.email, kind: 'text' }, REASON],
      send: ({ email = '', reason = '' }) =>
        withStepUp({ action: 'user.email-change', details: { id, email } }, async (token) => {
          const body = { email, reason };
          const answer = await api.call('PUT /api/admin/users/{id}', { path, body, ...token });
          const isSame = 'email' in answer.data && answer.data.email === currentEmail;
          return outcomeUnless(isSame, T.sameEmail, answer);
        }),
    },
    {
      ...texts('tier'),
      blocked:
        waitingFor(context, 'tier', 'user.tier-change') ??
        (others.length > 0 ? undefined : tiers ? T.oneTier : T.noTiers),
      fields: [{ name: 'tier', label: T.tier, kind: 'choice', choices, description: T.againMeaning }, REASON],
      send: ({ tier = '', reason = '' }) =>
        withStepUp({ action: 'user.tier-change', details: { id, tier } }, async (token) => {
          const body = { tier, reason };
          const answer = await api.call('PUT /api/admin/users/{id}/tier', { path, body, ...token });
          return outcomeUnless(tier === current.id, T.sameTier, answer);
        }),
    },
  ];
};

/** Actions about the screening, for `withdrawals:approve`. */
export const screeningActions = (context: ActionContext): DeskAction[] => {
  const { id, compliance } = context.user;
  if (compliance.amlChecks !== 'review') return [];
  return [
    approvedAction(context, 'screening', 'screening.accept', (reason) =>
      withStepUp({ action: 'screening.accept', details: { id } }, (token) =>
        api.call('POST /api/admin/users/{id}/screening/accept', { path: { id }, body: { reason }, ...token }),
      ),
    ),
  ];
};

type Body = RequestOf<'PUT /api/admin/users/{id}'>['body'];
type Status = UserDetail['status'];

function changeStatus({ user: { id, status } }: ActionContext): DeskAction {
  const { all: _, ...statuses } = USER_STATUS;
  const choices = Object.fromEntries(Object.entries(statuses).filter(([other]) => other !== status));
  const [first] = Object.keys(choices) as Status[];
  const chosen = (value: string | undefined) => (value ?? first) as Status;
  return {
    ...{ name: 'status', label: ACTION.status, done: DONE.status },
    effect: (values) => EFFECT[chosen(values.status)],
    isDangerous: true,
    fields: (values) => {
      const description = values.notify === 'false' ? T.inLog : T.forUser;
      return [
        { name: 'status', label: T.status, kind: 'choice', choices },
        { name: 'notify', label: T.notify, kind: 'choice', choices: NOTIFY },
        chosen(values.status) === 'suspended'
          ? reasonField(description)
          : { ...OPTIONAL_REASON, description },
      ];
    },
    send: async ({ status: entered, reason, notify }) => {
      const body: Body = {
        ...{ status: chosen(entered), notifyUser: notify !== 'false' },
        ...(reason ? { reason } : {}),
      };
      await api.call('PUT /api/admin/users/{id}', { path: { id }, body });
    },
  };
}

/** Changes of the access to the account, for `users:write`. */
export function accessActions(context: ActionContext): DeskAction[] {
  const { id, hold, locked } = context.user;
  const path = { id };
  const unlock = approvedAction(context, 'unlock', 'user.unlock', (reason) =>
    withStepUp({ action: 'user.unlock', details: { id } }, (token) =>
      api.call('POST /api/admin/users/{id}/unlock', { path, body: { reason }, ...token }),
    ),
  );
  const lock: DeskAction = {
    ...texts(locked ? 'harden' : 'lock'),
    isDangerous: true,
    fields: [reasonField(T.forUser)],
    send: async ({ reason = '' }) =>
      void (await api.call('POST /api/admin/users/{id}/lock', { path, body: { reason } })),
  };
  const endHold = approvedAction(context, 'holdEnd', 'user.hold-end', (reason) =>
    withStepUp({ action: 'user.hold-end', details: { id } }, (token) =>
      api.call('POST /api/admin/users/{id}/hold/end', { path, body: { reason }, ...token }),
    ),
  );
  const resetFactors = approvedAction(context, 'factors', 'user.factor-reset', (reason) =>
    withStepUp({ action: 'user.factor-reset', details: { id } }, (token) =>
      api.call('POST /api/admin/users/{id}/factors/reset', { path, body: { reason }, ...token }),
    ),
  );
  return [
    ...(locked ? [unlock] : []),
    ...(locked && locked.unlock !== 'step-up' ? [] : [lock]),
    ...(hold ? [endHold] : []),
    { ...resetFactors, isDangerous: true },
    changeStatus(context),
  ];
}

export const endSessions = (id: string): DeskAction => ({
  ...texts('sessions'),
  isDangerous: true,
  send: async () => void (await api.call('DELETE /api/admin/users/{id}/sessions', { path: { id } })),
});

/** Deactivation and erasure of the account, for `users:delete`. */
export function removeActions({ user }: ActionContext, leave: () => void): DeskAction[] {
  const { id, status, stats } = user;
  const remove = (permanent: boolean) =>
    api.call('DELETE /api/admin/users/{id}', { path: { id }, query: { permanent } });
  const deactivate: DeskAction = {
    ...texts('deactivate'),
    isDangerous: true,
    send: async () => void (await remove(false)),
  };
  const erase: DeskAction = {
    ...texts('erase'),
    isDangerous: true,
    blocked: stats.lifetimeTransactions > 0 ? T.money : undefined,
    send: async () => {
      await remove(true);
      leave();
    },
  };
  return [...(status === 'inactive' ? [] : [deactivate]), erase];
}

/** Removes a wallet, an API key or an address of the address book; `about` names it. */
export const takeAway = (
  name: 'wallet' | 'apiKey' | 'address',
  id: string,
  about: string,
  send: (body: { reason?: string }) => Promise<unknown>,
): DeskAction => ({
  ...{ ...texts(name), name: `${name} ${id}`, about },
  isDangerous: true,
  fields: [OPTIONAL_REASON],
  send: async ({ reason }) => void (await send(reason ? { reason } : {})),
});
