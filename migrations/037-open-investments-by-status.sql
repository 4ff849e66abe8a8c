-- The totals of the admins' list of users read pending investments of many users, without their active ones.
drop index investment_open;
create index investment_open on investment (user_id, status, strategy_id) include (amount)
  where status in ('pending', 'active');
