import type { SealedTable } from '../common/sealed-rows.js';

/** Tables of records that are sealed like credentials and do not expire. */
export type RecordTable = Extract<SealedTable, 'deposit_address' | 'withdrawal_address' | 'yield_report'>;

/**
 * SQL after `select`: the sealed columns of all rows by the names of `SEALED_COLUMNS`, with numbers as their entities write them, the
 * seal, and whether it has ended (`ended_seal`): of these records only the entries of address books end, when their users delete them.
 */
export const SEALED_RECORDS: Readonly<Record<RecordTable, string>> = {
  deposit_address: `id, user_id as "userId", currency, network, address, provider_address_id as "providerAddressId",
                    created_at as "createdAt", seal, false as "isSealEnded" from deposit_address`,
  withdrawal_address: `id, user_id as "userId", address, network, created_at as "createdAt", usable_from as "usableFrom", seal,
                       exists (select from ended_seal as ended where ended.seal = withdrawal_address.seal) as "isSealEnded"
                  from withdrawal_address`,
  yield_report: `id, event_id as "eventId", strategy_id as "strategyId", day::text, state, trim_scale(apy)::text as apy,
                 trim_scale(used_apy)::text as "usedApy", trim_scale(realised_amount)::text as "realisedAmount",
                 trim_scale(expected_amount)::text as "expectedAmount", waiting_for as "waitingFor", reported_at as "reportedAt",
                 seal, false as "isSealEnded" from yield_report`,
};
