import { createHash } from 'node:crypto';

// The page of the links in mails. It loads nothing, and sends the token of its fragment only when its button is pressed.

const TEXTS = {
  en: {
    title: 'Lock your account',
    intro:
      'Lock your account if somebody else may have signed in to it. Until it is unlocked, nobody can withdraw, no pending withdrawal is paid, and addresses, API keys, wallets, webhooks and second factors cannot be changed. All sessions end. Your balance stays as it is.',
    button: 'Lock my account',
    working: 'One moment …',
    locked: 'Your account is locked. All sessions have ended.',
    next: [
      'Change your password at the service with which you sign in.',
      'Then sign in, and cancel the withdrawals that you have not requested.',
      'Unlock the account with your second factor, or write to our support.',
    ],
    refused:
      'This link was used already or is older than seven days. If you have used it, your account is locked. Otherwise use the link of a newer mail, or sign in and lock your account.',
    incomplete: 'The link is incomplete. Open it in the mail again, or copy all of it.',
    busy: 'Too many attempts. Try again in a few minutes.',
    failed: 'Your account could not be locked. Try again, or write to our support at once.',
  },
  de: {
    title: 'Konto sperren',
    intro:
      'Sperren Sie Ihr Konto, wenn sich jemand anderes angemeldet haben könnte. Bis es entsperrt wird, kann niemand etwas abheben, keine offene Auszahlung wird ausgeführt, und Adressen, API-Schlüssel, Wallets, Webhooks und zweite Faktoren lassen sich nicht ändern. Alle Sitzungen enden. Ihr Guthaben bleibt, wie es ist.',
    button: 'Mein Konto sperren',
    working: 'Einen Moment …',
    locked: 'Ihr Konto ist gesperrt. Alle Sitzungen sind beendet.',
    next: [
      'Ändern Sie Ihr Passwort bei dem Dienst, mit dem Sie sich anmelden.',
      'Melden Sie sich dann an und stornieren Sie Auszahlungen, die Sie nicht beantragt haben.',
      'Entsperren Sie das Konto mit Ihrem zweiten Faktor oder schreiben Sie unserem Support.',
    ],
    refused:
      'Dieser Link wurde schon benutzt oder ist älter als sieben Tage. Wenn Sie ihn benutzt haben, ist Ihr Konto gesperrt. Sonst verwenden Sie den Link einer neueren E-Mail, oder melden Sie sich an und sperren Sie das Konto dort.',
    incomplete:
      'Der Link ist unvollständig. Öffnen Sie ihn noch einmal aus der E-Mail oder kopieren Sie ihn ganz.',
    busy: 'Zu viele Versuche. Versuchen Sie es in einigen Minuten noch einmal.',
    failed:
      'Ihr Konto konnte nicht gesperrt werden. Versuchen Sie es noch einmal oder schreiben Sie sofort unserem Support.',
  },
};

const STYLE = `
:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif; }
body { margin: 0; color: #1a1a1a; background: #ffffff; }
main { max-width: 36rem; margin: 0 auto; padding: 3rem 1.25rem; }
h1 { font-size: 1.6rem; line-height: 1.25; }
button { font: inherit; font-weight: 600; padding: 0.75rem 1.25rem; border: 0; border-radius: 0.5rem; color: #ffffff; background: #a3171f; cursor: pointer; }
button:disabled { opacity: 0.6; cursor: default; }
button:focus-visible, #outcome:focus-visible { outline: 3px solid #1f5fbf; outline-offset: 3px; }
[hidden] { display: none; }
@media (prefers-color-scheme: dark) {
  body { color: #ececec; background: #16181c; }
  button { color: #16181c; background: #ff8f8f; }
  button:focus-visible, #outcome:focus-visible { outline-color: #8ab8ff; }
}
`;

/** The token leaves the address of the page at once, so that the browser's history does not keep it. */
const SCRIPT = `
const TEXTS = ${JSON.stringify(TEXTS)};
const language = /^de\\b/i.test(navigator.language) ? 'de' : 'en';
const texts = TEXTS[language];
const element = (id) => document.getElementById(id);
const [title, intro, button, outcome, next] = ['title', 'intro', 'button', 'outcome', 'next'].map(element);
document.documentElement.lang = language;
document.title = title.textContent = texts.title;
intro.textContent = texts.intro;
button.textContent = texts.button;
for (const step of texts.next) next.appendChild(document.createElement('li')).textContent = step;
const token = location.hash.slice(1);
history.replaceState(null, '', location.pathname);

function show(text, { canTryAgain = false, isLocked = false } = {}) {
  outcome.textContent = text;
  button.hidden = !canTryAgain;
  button.disabled = false;
  next.hidden = !isLocked;
  outcome.focus();
}

async function lock() {
  button.disabled = true;
  outcome.textContent = texts.working;
  try {
    const response = await fetch('/api/auth/lock', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
      credentials: 'omit',
    });
    if (response.ok) show(texts.locked, { isLocked: true });
    else if (response.status === 401) show(texts.refused);
    else show(response.status === 429 ? texts.busy : texts.failed, { canTryAgain: true });
  } catch {
    show(texts.failed, { canTryAgain: true });
  }
}

if (token === '') show(texts.incomplete);
else {
  button.hidden = false;
  button.addEventListener('click', lock);
}
`;

export const LOCK_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${TEXTS.en.title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1 id="title">${TEXTS.en.title}</h1>
<p id="intro">${TEXTS.en.intro}</p>
<p><button id="button" type="button" hidden>${TEXTS.en.button}</button></p>
<p id="outcome" role="status" tabindex="-1"></p>
<ol id="next" hidden></ol>
<noscript><p>This page needs JavaScript. Without it, sign in and lock your account there, or write to our support.</p></noscript>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;

/** The page may run its own script and style, and call the API at its own origin. */
export const LOCK_PAGE_POLICY = [
  "default-src 'none'",
  `script-src '${hashOf(SCRIPT)}'`,
  `style-src '${hashOf(STYLE)}'`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
