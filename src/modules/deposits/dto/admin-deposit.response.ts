import { Count, MoneyText, Text } from '../../../http/openapi/fields.js';
import { DepositResponse, DepositSummaryResponse } from './deposit.response.js';

export class AdminDepositResponse extends DepositResponse {
  @Text({ example: 'ann@example.org' }) userEmail!: string;
}

export class AdminDepositSummaryResponse extends DepositSummaryResponse {
  @Count({ description: 'confirmed deposits with a holdReason' }) heldCount!: number;
  @MoneyText({ description: 'their sum, in the currency of the summary' }) heldValue!: string;
}
