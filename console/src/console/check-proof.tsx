import { Alert, Button, Text } from '@mantine/core';
import { ProofError } from 'stablecoin-platform-client/verify';
import { useState, type ReactNode } from 'react';
import { isSandbox } from '../api/sign-in.ts';
import { forgetProofs } from '../proofs/kept-proofs.ts';
import { Failure } from '../ui/failure.tsx';
import { inLanguage } from '../ui/language.ts';

const T = inLanguage({
  failed: ['The check has failed', 'Die Prüfung ist fehlgeschlagen'],
  failedText: [
    'Save a screenshot, and compare the log with another reader of it: two readers must see the same.',
    'Sichern Sie ein Bildschirmfoto, und vergleichen Sie das Log mit einem anderen Leser: Zwei Leser müssen dasselbe sehen.',
  ],
  forget: [
    'This sandbox was set up anew: forget the kept log',
    'Diese Sandbox wurde neu aufgesetzt: behaltenes Log vergessen',
  ],
});

interface CheckProofProps<Proven> {
  label: string;
  /** What is checked, in one sentence. */
  meaning: string;
  /** Rejects with a ProofError if the proof does not hold. */
  check: () => Promise<Proven>;
  children: (proven: Proven) => ReactNode;
}

/** Checks a proof in this browser, and shows what it proves or why it does not hold. */
export function CheckProof<Proven>({ label, meaning, check, children }: CheckProofProps<Proven>) {
  const [state, setState] = useState<{ proven?: Proven; error?: unknown; isRunning?: boolean }>({});
  const run = async () => {
    setState({ isRunning: true });
    setState(
      await check().then(
        (proven) => ({ proven }),
        (error: unknown) => ({ error }),
      ),
    );
  };
  return (
    <>
      <Text mb="sm">{meaning}</Text>
      <Button loading={state.isRunning ?? false} onClick={() => void run()}>
        {label}
      </Button>
      <div aria-live="polite" className="gap-above">
        {state.proven !== undefined && children(state.proven)}
        {state.error !== undefined && <NotProven error={state.error} onForget={() => setState({})} />}
      </div>
    </>
  );
}

function NotProven({ error, onForget }: { error: unknown; onForget: () => void }) {
  if (!(error instanceof ProofError)) return <Failure error={error} />;
  const forget = () => {
    forgetProofs();
    onForget();
  };
  return (
    <Alert color="red" title={T.failed}>
      <Text>{error.message}</Text>
      <Text>{T.failedText}</Text>
      {isSandbox && (
        <Button mt="sm" size="xs" variant="default" onClick={forget}>
          {T.forget}
        </Button>
      )}
    </Alert>
  );
}
