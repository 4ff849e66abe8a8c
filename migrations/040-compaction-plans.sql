-- The jobs that compact totals call these functions for each hundred rows. They were planned in each call, which took a third of it.
alter function compact_list_totals(bigint) set plan_cache_mode = force_generic_plan;
alter function compact_report_totals(bigint) set plan_cache_mode = force_generic_plan;
