import { isSandbox } from '../api/sign-in.ts';
import { inLanguage } from '../ui/language.ts';

const T = inLanguage({
  sentence: [
    'Sandbox: nobody else is here to pay it. Do it yourself as operator:',
    'Sandbox: Hier zahlt sie kein anderer. Tun Sie es selbst als operator:',
  ],
  console: ['open the console', 'Konsole öffnen'],
});

/** Where the user of the sandbox pays the withdrawal. The console has a session of its own. */
export function SandboxPayment() {
  if (!isSandbox) return null;
  return (
    <p>
      {T.sentence}{' '}
      <a href="/console/withdrawals" target="_blank">
        {T.console}
      </a>
    </p>
  );
}
