import { createContext, use, useCallback, useState, type ReactNode } from 'react';
import { api, hasCode, type Routes } from '../api/client.ts';
import type { FactorChallenge } from '../api/sign-in.ts';
import { Dialog } from '../ui/dialog.tsx';
import { inLanguage } from '../ui/language.ts';
import { SecondFactorForm } from '../ui/second-factor-form.tsx';
import styles from './app.module.css';
import { CancelledError } from './intent.ts';

const T = inLanguage({
  title: ['Confirm that it is you', 'Bestätigen Sie, dass Sie es sind'],
  scope: [
    'The answer covers this one action with exactly these details.',
    'Die Bestätigung gilt für diese eine Handlung mit genau diesen Angaben.',
  ],
});

export interface Confirmable {
  action: Routes['POST /api/user/step-up']['body']['action'];
  details: Record<string, unknown>;
  /** What the person confirms, in one sentence. */
  sentence: string;
}

interface OpenStepUp extends Confirmable {
  id: string;
  challenge: FactorChallenge;
  answer: (token: string) => void;
  cancel: () => void;
}

type Confirm = <Result>(what: Confirmable, perform: (stepUp?: string) => Promise<Result>) => Promise<Result>;

const StepUpContext = createContext<Confirm | undefined>(undefined);

/**
 * Performs an action, and if the service asks for a second factor, has it confirmed in a dialog and performs it again with the token.
 * Throws CancelledError if the person closes the dialog.
 */
export function useConfirmed(): Confirm {
  const confirm = use(StepUpContext);
  if (!confirm) throw new Error('StepUpProvider is missing');
  return confirm;
}

export function StepUpProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<OpenStepUp>();
  const confirm = useCallback<Confirm>(async (what, perform) => {
    try {
      return await perform();
    } catch (error) {
      if (!hasCode(error, 'STEP_UP_REQUIRED')) throw error;
      const { methods } = (error.details ?? {}) as { methods?: string[] };
      if (methods?.length === 0) throw error; // there is no factor to confirm with
    }
    const { action, details } = what;
    const { data } = await api.call('POST /api/user/step-up', { body: { action, details } });
    const token = await new Promise<string>((answer, reject) => {
      const cancel = () => reject(new CancelledError());
      setOpen({ ...what, id: data.id, challenge: data, answer, cancel });
    }).finally(() => setOpen(undefined));
    return perform(token);
  }, []);
  return (
    <StepUpContext value={confirm}>
      {children}
      {open && <StepUpDialog stepUp={open} />}
    </StepUpContext>
  );
}

function StepUpDialog({ stepUp }: { stepUp: OpenStepUp }) {
  const { id, challenge, sentence, answer, cancel } = stepUp;
  return (
    <Dialog onClose={cancel} title={T.title}>
      <p className={styles.sentence}>{sentence}</p>
      <p className={styles.hint}>{T.scope}</p>
      <SecondFactorForm
        challenge={challenge}
        onCancel={cancel}
        onAnswer={async (body) => {
          const { data } = await api.call('POST /api/user/step-up/{id}/verify', { path: { id }, body });
          answer(data.token);
        }}
      />
    </Dialog>
  );
}
