import { integer, oneOf, secret, type Reader } from './readers.js';
import { REQUIRED, secondOf, setting } from './setting.js';

const domain: Reader<string> = {
  expects: 'a domain such as example.com, without scheme and port; not an IP address',
  read: (value) => (/^(localhost|([a-z0-9-]+\.)+[a-z]{2,})$/.test(value) ? value : undefined),
};

/** The settings of second factors and step-ups. */
export const SECOND_FACTOR_SETTINGS = {
  STEP_UP: setting(
    oneOf('if-registered', 'required', 'off'),
    'if-registered' as const,
    'whether withdrawals and changes of the security of an account need a second factor of the user: if-registered: of users who have one; required: of all users; off: of none, which production refuses',
  ),
  STEP_UP_SECONDS: setting(integer(10, 600), 120, 'how long the token of a step-up can be used'),
  SECOND_FACTOR_KEY: setting(
    secret(32),
    REQUIRED,
    'encrypts the secrets of one-time codes in the database; with another key no code is accepted',
    { isSecret: true },
  ),
  SECOND_FACTOR_KEY_ALSO: secondOf('SECOND_FACTOR_KEY', secret(32)),
  HOLD_AFTER_FIRST_FACTOR: setting(
    oneOf('true', 'false'),
    'true' as const,
    "whether a user's first second factor starts a security hold, because a thief may have registered it",
  ),
  ADMIN_SECOND_FACTOR: setting(
    oneOf('required', 'if-registered', 'off'),
    undefined,
    'whether admins sign in and act with a second factor: required (the default in production): all, and a session without one can only register one; if-registered (the default elsewhere): those who have one; off: none',
  ),
  ADMIN_SESSION_HOURS: setting(
    integer(1, 24),
    24,
    'hours after its sign-in at which a session of an admin ends; 24: it ends with its access token, and refreshing continues it',
  ),
  ADMIN_SESSION_IDLE_MINUTES: setting(
    integer(0, 1440),
    0,
    'minutes without a request, exact to a minute, after which a session of an admin ends; 0: never',
  ),
  WEBAUTHN_RP_ID: setting(
    domain,
    undefined,
    'the domain of passkeys, which never changes: passkeys of another domain are lost; when unset the host of PUBLIC_URL',
  ),
} as const;
