import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { LocksModule } from '../../identity/locks/locks.module.js';
import { Mail } from './entities/mail.entity.js';
import { MailsJob } from './mails.job.js';
import { MailsConsumer } from './mails.consumer.js';
import { MailsRepository } from './mails.repository.js';
import { SmtpClient } from './smtp.client.js';

/** E-mail to users and admins. */
@Module({
  imports: [LocksModule, TypeOrmModule.forFeature([Mail])],
  providers: [MailsJob, MailsConsumer, MailsRepository, SmtpClient],
  exports: [MailsRepository],
})
export class MailModule {}
