import { Injectable } from '@nestjs/common';
import type { SMTPTransportOptions, Transporter } from 'nodemailer';
import { AppConfig } from '../../../config/app-config.js';
import { realNow } from '../../../common/clock.js';
import type { RenderedMail } from './domain/mail-templates.js';

const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 30_000;
const MAX_REPLY_BYTES = 65_536;
const SUBMISSION_PORT = 587;
const TLS_PORT = 465;

export interface AddressedMail extends RenderedMail {
  readonly id: string;
  readonly recipient: string;
}

/** Sends mails to the server of SMTP_URL, each over a connection of its own. */
@Injectable()
export class SmtpClient {
  private transport: Promise<Transporter> | undefined;

  constructor(private readonly config: AppConfig) {}

  /** Resolves when the server has accepted the mail. Rejects if it refuses it or does not answer, or if `signal` aborts. */
  async sendMail(mail: AddressedMail, signal: AbortSignal): Promise<void> {
    const { SMTP_URL, MAIL_FROM: from = '' } = this.config;
    if (SMTP_URL === undefined) throw new Error('SMTP_URL is not set.');
    this.transport ??= createTransportTo(SMTP_URL);
    const transport = await this.transport;
    const { id, recipient, subject, text, html } = mail;
    await transport.sendMail({
      messageId: `<${id}@${domainOf(from)}>`,
      from,
      to: { name: '', address: recipient },
      subject,
      text,
      html,
      date: realNow(),
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      disableFileAccess: true,
      disableUrlAccess: true,
      signal,
    });
  }
}

/** Imports nodemailer with the first mail, so that a service without mail starts faster. */
async function createTransportTo(smtpUrl: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport(smtpOptions(smtpUrl));
}

/** Requires TLS with a valid certificate, except for `smtp:` to this machine. Query parameters of the URL change nothing. */
export function smtpOptions(smtpUrl: string): SMTPTransportOptions {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isTls = protocol === 'smtps:';
  const defaultPort = isTls ? TLS_PORT : SUBMISSION_PORT;
  return {
    host,
    port: port ? Number(port) : defaultPort,
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
