import { Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { FactorAnswer, FactorChallenge } from '../api/sign-in.ts';
import { setStepUpDialog, StepUpCancelled } from '../api/step-up.ts';
import { Dialog } from './dialog.tsx';
import { inLanguage } from './language.ts';
import { SecondFactorForm } from './second-factor-form.tsx';

const T = inLanguage({
  title: ['Confirm with your second factor', 'Mit dem zweiten Faktor bestätigen'],
  why: [
    'Nothing has been sent yet: this action needs a fresh proof that it is you.',
    'Es wurde noch nichts gesendet: Diese Aktion braucht einen neuen Beweis, dass Sie es sind.',
  ],
  cancelled: [
    'The action was not sent, because it was not confirmed.',
    'Die Aktion wurde nicht gesendet, weil sie nicht bestätigt wurde.',
  ],
});

interface Asked {
  challenge: FactorChallenge;
  verify: (answer: FactorAnswer) => Promise<void>;
  done: () => void;
  cancel: () => void;
}

/** Shows the challenges of step-ups. The page has exactly one of these. */
export function StepUpDialog() {
  const [asked, setAsked] = useState<Asked>();
  useEffect(() => {
    setStepUpDialog(
      (challenge, verify) =>
        new Promise((resolve, reject) => {
          setAsked({
            challenge,
            verify,
            done: resolve,
            cancel: () => reject(new StepUpCancelled(T.cancelled)),
          });
        }),
    );
    return () => setStepUpDialog(undefined);
  }, []);
  if (!asked) return null;
  const close = (end: () => void) => {
    setAsked(undefined);
    end();
  };
  return (
    <Dialog title={T.title} onClose={() => close(asked.cancel)}>
      <Stack>
        <Text>{T.why}</Text>
        <SecondFactorForm
          challenge={asked.challenge}
          onCancel={() => close(asked.cancel)}
          onAnswer={async (answer) => {
            await asked.verify(answer);
            close(asked.done);
          }}
        />
      </Stack>
    </Dialog>
  );
}
