import { isSandbox } from '../api/sign-in.ts';
import { inLanguage } from '../ui/language.ts';

const T = inLanguage({
  sentence: [
    'Sandbox: pay it yourself. In a private window, sign in as operator on',
    'Sandbox: Zahlen Sie sie selbst. Melden Sie sich in einem privaten Fenster als operator an, in der',
  ],
  console: ['the console', 'Konsole'],
});

/** In the sandbox nobody else is there to pay; the window is private because both pages have the session cookie of one person. */
export function SandboxPayment() {
  if (!isSandbox) return null;
  return (
    <p>
      {T.sentence} <a href="/console/withdrawals">{T.console}</a>.
    </p>
  );
}
