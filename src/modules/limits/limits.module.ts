import { Module } from '@nestjs/common';
import { StrategiesModule } from '../strategies/strategies.module.js';
import { WithdrawalsModule } from '../withdrawals/withdrawals.module.js';
import { LimitsController } from './limits.controller.js';

@Module({
  imports: [StrategiesModule, WithdrawalsModule],
  controllers: [LimitsController],
})
export class LimitsModule {}
