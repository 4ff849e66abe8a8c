import { mailbox, smtpUrl } from './readers.js';
import { setting } from './setting.js';

/** The settings of e-mail delivery. */
export const MAIL_SETTINGS = {
  SMTP_URL: setting(
    smtpUrl,
    undefined,
    'mail server, such as smtps://user:password@mail.example.com; smtp: demands STARTTLS unless the server is on this machine; without it no e-mail is sent',
    { isSecret: true },
  ),
  MAIL_FROM: setting(
    mailbox,
    undefined,
    'sender of e-mail, such as Platform <no-reply@example.com>; required where SMTP_URL is set',
  ),
} as const;
