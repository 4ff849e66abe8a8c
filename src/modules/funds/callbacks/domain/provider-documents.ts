import type { Schema } from '../../../../http/openapi/schemas.js';
import {
  AddressMessage,
  DepositAddressMessage,
  DepositListMessage,
  DepositMessage,
  DepositTransactionMessage,
  InstrumentMessage,
  WithdrawalAddressMessage,
  WithdrawalMessage,
  WithdrawalTransactionMessage,
} from '../../deposits/domain/crypto2b-messages.js';
import { ScreeningAnswer } from '../../../identity/screening/domain/verdict.js';
import { YieldReportData, YieldReportMessage } from '../../../investing/strategies/domain/yield-message.js';
import { custodyDocument } from './custody-document.js';
import { depositDocument } from './deposit-document.js';
import { screeningDocument } from './screening-document.js';

const DEPOSIT_MESSAGES = [
  AddressMessage,
  DepositListMessage,
  DepositMessage,
  InstrumentMessage,
  DepositAddressMessage,
  DepositTransactionMessage,
  WithdrawalMessage,
  WithdrawalAddressMessage,
  WithdrawalTransactionMessage,
];
const CUSTODY_MESSAGES = [YieldReportMessage, YieldReportData];
const SCREENING_MESSAGES = [ScreeningAnswer];

/** The classes that validate what providers send. */
export const PROVIDER_MESSAGES = [...DEPOSIT_MESSAGES, ...CUSTODY_MESSAGES, ...SCREENING_MESSAGES];

/** The OpenAPI documents of the providers by file name. `schemas` are those of `PROVIDER_MESSAGES`. */
export function providerDocuments(
  schemas: Readonly<Record<string, Schema>>,
  version: string,
): Record<string, object> {
  const schemasOf = (messages: readonly (new () => object)[]) =>
    Object.fromEntries(messages.map(({ name }) => [name, schemas[name] ?? {}]));
  return {
    'deposit.json': depositDocument(schemasOf(DEPOSIT_MESSAGES), version),
    'custody.json': custodyDocument(schemasOf(CUSTODY_MESSAGES), version),
    'screening.json': screeningDocument(schemasOf(SCREENING_MESSAGES), version),
  };
}
