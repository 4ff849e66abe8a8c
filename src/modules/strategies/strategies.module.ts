import { Module } from '@nestjs/common';
import { NavRoll } from './nav-roll.js';
import { NavTimer } from './nav-timer.js';
import { Navs } from './navs.service.js';
import { StrategiesController } from './strategies.controller.js';
import { StrategyReader } from './strategies.queries.js';
import { Strategies } from './strategies.service.js';
import { StrategyHistory } from './strategy-history.queries.js';
import { YieldReports } from './yield-reports.service.js';

@Module({
  controllers: [StrategiesController],
  providers: [Strategies, StrategyReader, StrategyHistory, Navs, NavRoll, NavTimer, YieldReports],
  exports: [Strategies, Navs, YieldReports],
})
export class StrategiesModule {}
