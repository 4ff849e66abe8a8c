import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Mail } from './entities/mail.entity.js';
import { MailsJob } from './mails.job.js';
import { MailsListener } from './mails.listener.js';
import { MailsRepository } from './mails.repository.js';
import { MailsService } from './mails.service.js';
import { SmtpClient } from './smtp.client.js';

/** E-mail to users. */
@Module({
  imports: [TypeOrmModule.forFeature([Mail])],
  providers: [MailsJob, MailsListener, MailsRepository, MailsService, SmtpClient],
  exports: [MailsService],
})
export class MailModule {}
