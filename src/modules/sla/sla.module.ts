import { Module } from '@nestjs/common';
import { OldMinutes } from './old-minutes.js';
import { RequestMinutes } from './request-minutes.js';
import { SlaController } from './sla.controller.js';
import { SlaQueries } from './sla.queries.js';
import { Sla } from './sla.service.js';

@Module({ controllers: [SlaController], providers: [RequestMinutes, SlaQueries, Sla, OldMinutes] })
export class SlaModule {}
