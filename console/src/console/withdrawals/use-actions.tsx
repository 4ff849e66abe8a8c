import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useIntent } from '../../api/intents.ts';
import {
  executeWithdrawal,
  othersStep,
  takeWithdrawal,
  type Outcome as SentAction,
  type QueuedWithdrawal,
  type Withdrawal,
  type WithdrawalDetail,
} from '../../api/withdrawals.ts';
import { messageOf } from '../../ui/failure.tsx';
import { returnFocus } from '../../ui/return-focus.ts';
import { showOutcome, type Outcome } from '../outcome.ts';
import { useAdmin } from '../session.ts';
import { ActionForm } from './action-form.tsx';
import type { ActionName } from './actions.ts';
import { CHECK, CHECK_REASON, DONE, OUTCOME, STEP } from './texts.ts';

type Target = Withdrawal | QueuedWithdrawal | WithdrawalDetail;

/** Runs actions on withdrawals and shows their outcome; the component that uses it renders `dialog`. */
export function useWithdrawalActions(): {
  run: (name: ActionName, withdrawal: Target) => void;
  dialog: ReactNode;
  runningId: string | undefined;
} {
  const { email } = useAdmin();
  const queries = useQueryClient();
  const intent = useIntent();
  const [asked, setAsked] = useState<{ name: ActionName; withdrawal: Target }>();
  const [runningId, setRunningId] = useState<string>();

  const refresh = () =>
    Promise.all(
      ['withdrawals', 'approvals', 'queues'].map((area) => queries.invalidateQueries({ queryKey: [area] })),
    );
  /** Sends an action and shows its outcome, or that somebody else has changed the withdrawal before. */
  const perform = async (name: ActionName, { id }: Target, send: () => Promise<SentAction>) => {
    setRunningId(id);
    try {
      showOutcome(DONE[name], outcomeOf(name, await send()));
    } catch (error) {
      const step = await othersStep(id, error, email).catch(() => undefined);
      if (!step) throw error;
      notifications.show({
        color: 'red',
        title: step.isByColleague ? OUTCOME.lostTitle : OUTCOME.changedTitle,
        message: OUTCOME.lost(step.by, STEP[step.action]),
        autoClose: false,
      });
    } finally {
      setRunningId(undefined);
      await refresh();
      returnFocus();
    }
  };
  const run = (name: ActionName, withdrawal: Target) => {
    if (name !== 'take' && name !== 'execute') return setAsked({ name, withdrawal });
    if (runningId) return;
    const { id } = withdrawal;
    const act = name === 'take' ? takeWithdrawal : executeWithdrawal;
    const send = () => intent({ name, id }, (key) => act(id, key));
    perform(name, withdrawal, send).catch((error: unknown) =>
      notifications.show({ color: 'red', message: messageOf(error), autoClose: false }),
    );
  };
  const dialog = asked && (
    <ActionForm
      name={asked.name}
      withdrawal={asked.withdrawal}
      perform={(send) => perform(asked.name, asked.withdrawal, send)}
      onClose={() => setAsked((current) => (current === asked ? undefined : current))}
    />
  );
  return { run, dialog, runningId };
}

/** A completion shows what the chain says. */
function outcomeOf(name: ActionName, sent: SentAction): Outcome {
  const { chainCheck, chainCheckReason } = sent.withdrawal ?? {};
  if (sent.isWaiting || name !== 'complete' || !chainCheck) return sent;
  const reason = chainCheckReason ? `: ${CHECK_REASON[chainCheckReason]}` : '';
  return {
    color: chainCheck === 'matched' ? 'green' : chainCheck === 'mismatch' ? 'red' : 'yellow',
    title: DONE.complete,
    message: `${CHECK[chainCheck]}${reason}`,
    autoClose: chainCheck === 'matched' ? 4000 : false,
  };
}
