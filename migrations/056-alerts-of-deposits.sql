-- Deposits that the chain has proven are looked up again for a day after their credit.
create index deposit_credited_on_chain on deposit (confirmed_at)
  where network = 'ERC20' and currency = 'USDC' and status = 'completed';
