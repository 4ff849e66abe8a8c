import { Injectable } from '@nestjs/common';
import { createTransport, type SMTPTransportOptions, type Transporter } from 'nodemailer';
import { AppConfig } from '../../config/app-config.js';
import { realNow } from '../../common/clock.js';
import type { RenderedMail } from './domain/mail-templates.js';

const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 30_000;
const MAX_REPLY_BYTES = 65_536;
const [SUBMISSION_PORT, TLS_PORT] = [587, 465];

export interface AddressedMail extends RenderedMail {
  readonly id: string;
  readonly recipient: string;
}

/** Sends mails to the server of SMTP_URL, each over a connection of its own. */
@Injectable()
export class SmtpClient {
  private readonly transport: Transporter | undefined;
  private readonly from: string;

  constructor({ SMTP_URL, MAIL_FROM = '' }: AppConfig) {
    this.transport = SMTP_URL === undefined ? undefined : createTransport(smtpOptions(SMTP_URL));
    this.from = MAIL_FROM;
  }

  /** Resolves when the server has accepted the mail. Rejects if it has not, or if that is unknown. */
  async sendMail(mail: AddressedMail, interrupted: AbortSignal): Promise<void> {
    if (!this.transport) throw new Error('SMTP_URL is not set.');
    const { id, recipient, subject, text, html } = mail;
    await this.transport.sendMail({
      messageId: `<${id}@${domainOf(this.from)}>`,
      from: this.from,
      to: { name: '', address: recipient },
      subject,
      text,
      html,
      date: realNow(),
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      disableFileAccess: true,
      disableUrlAccess: true,
      signal: interrupted,
    });
  }
}

/** TLS with a valid certificate is demanded unless the server is on this machine. Nothing in the URL can change that. */
export function smtpOptions(smtpUrl: string): SMTPTransportOptions {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isTls = protocol === 'smtps:';
  return {
    host,
    port: port ? Number(port) : isTls ? TLS_PORT : SUBMISSION_PORT,
    secure: isTls,
    requireTLS: !isTls && !isLoopback(host),
    ignoreTLS: !isTls && isLoopback(host), // the certificate of a local relay names another host
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: true },
    ...(username ? { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } } : {}),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    maxResponseSize: MAX_REPLY_BYTES,
  };
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);
}

function domainOf(mailbox: string): string {
  return mailbox.slice(mailbox.lastIndexOf('@') + 1).replace(/>$/, '');
}
