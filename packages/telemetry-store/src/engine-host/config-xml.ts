import type { EngineCaps } from './protocol.ts';
import { STATEMENT_SIZE } from './statement-size.ts';

const MIB = 1 << 20;

/** As much of a cache as fits into a small engine. */
const cacheBytes = ({ memoryBytes }: EngineCaps, most: number): number =>
  Math.min(most, Math.floor(memoryBytes / 16));

/**
 * Unpacked skip indexes, most of them of words: 8 KiB for each thousand spans or logs. Unpacking is most of what it takes to
 * pass by what does not hold a word.
 */
const indexCacheBytes = ({ memoryBytes }: EngineCaps): number =>
  Math.min(Math.floor(memoryBytes / 8), 256 * MIB);

/**
 * `config.xml` of the engine, which it reads from its working directory. Small background pools (two cores), caches
 * that fit an idle footprint of a few hundred megabytes, no system log tables, no extra user files. New parts are
 * LZ4, for inserts to be cheap; merges pack them harder the larger they get. A merge takes eight parts of a size rather
 * than five: merging, with its skip indexes, costs more than inserting, so every row is better rewritten less often. A day to
 * which nothing came for six hours becomes one part: it is asked for weeks, and every question opens each of its parts. Lengths
 * of texts in maps and arrays lie before the texts, a byte each: in a file of their own they are numbers of eight bytes, and
 * unpacking those is more than half of reading a map. Each part says how it is written, and those of before stay as they are.
 * What a part was merged from stays for a minute (the library's default is none): merged parts are not synced, and the kernel
 * may keep what was written in memory for half a minute; nor does the engine notice a full disk, see `FailedWrites`.
 */
export function configXml(caps: EngineCaps, engineDir: string): string {
  return `<clickhouse>
  <logger><level>none</level><console>0</console></logger>
  <users_config>users.xml</users_config>
  <user_files_path>${xml(engineDir)}/inbox/</user_files_path>
  <format_schema_path>${xml(engineDir)}/inbox/</format_schema_path>
  <timezone>UTC</timezone>
  <max_server_memory_usage>${caps.memoryBytes}</max_server_memory_usage>
  <mark_cache_size>${cacheBytes(caps, 64 * MIB)}</mark_cache_size>
  <index_mark_cache_size>16777216</index_mark_cache_size>
  <uncompressed_cache_size>0</uncompressed_cache_size>
  <index_uncompressed_cache_size>${indexCacheBytes(caps)}</index_uncompressed_cache_size>
  <mmap_cache_size>0</mmap_cache_size>
  <compiled_expression_cache_size>16777216</compiled_expression_cache_size>
  <text_index_tokens_cache_size>${cacheBytes(caps, 32 * MIB)}</text_index_tokens_cache_size>
  <text_index_header_cache_size>16777216</text_index_header_cache_size>
  <text_index_postings_cache_size>0</text_index_postings_cache_size>
  <query_cache><max_size_in_bytes>0</max_size_in_bytes></query_cache>
  <max_thread_pool_size>512</max_thread_pool_size>
  <max_thread_pool_free_size>32</max_thread_pool_free_size>
  <max_concurrent_queries>${caps.concurrentQueries * 4 + 16}</max_concurrent_queries>
  <background_pool_size>2</background_pool_size>
  <background_merges_mutations_concurrency_ratio>1</background_merges_mutations_concurrency_ratio>
  <os_threads_nice_value_merge_mutate>10</os_threads_nice_value_merge_mutate>
  <background_move_pool_size>1</background_move_pool_size>
  <background_fetches_pool_size>1</background_fetches_pool_size>
  <background_common_pool_size>2</background_common_pool_size>
  <background_buffer_flush_schedule_pool_size>1</background_buffer_flush_schedule_pool_size>
  <background_schedule_pool_size>4</background_schedule_pool_size>
  <background_message_broker_schedule_pool_size>1</background_message_broker_schedule_pool_size>
  <background_distributed_schedule_pool_size>1</background_distributed_schedule_pool_size>
  <max_io_thread_pool_size>8</max_io_thread_pool_size>
  <max_io_thread_pool_free_size>0</max_io_thread_pool_free_size>
  <compression>
    <case><min_part_size>1048576</min_part_size><min_part_size_ratio>0</min_part_size_ratio><method>zstd</method><level>1</level></case>
    <case><min_part_size>67108864</min_part_size><min_part_size_ratio>0</min_part_size_ratio><method>zstd</method><level>3</level></case>
  </compression>
  <merge_tree>
    <old_parts_lifetime>60</old_parts_lifetime>
    <merge_selector_base>8</merge_selector_base>
    <min_age_to_force_merge_seconds>21600</min_age_to_force_merge_seconds>
    <min_age_to_force_merge_on_partition_only>1</min_age_to_force_merge_on_partition_only>
    <enable_max_bytes_limit_for_min_age_to_force_merge>1</enable_max_bytes_limit_for_min_age_to_force_merge>
    <number_of_free_entries_in_pool_to_lower_max_size_of_merge>0</number_of_free_entries_in_pool_to_lower_max_size_of_merge>
    <number_of_free_entries_in_pool_to_execute_mutation>1</number_of_free_entries_in_pool_to_execute_mutation>
    <number_of_free_entries_in_pool_to_execute_optimize_entire_partition>1</number_of_free_entries_in_pool_to_execute_optimize_entire_partition>
    <propagate_types_serialization_versions_to_nested_types>0</propagate_types_serialization_versions_to_nested_types>
  </merge_tree>
</clickhouse>
`;
}

/**
 * `users.xml`: the one user of the embedded engine with the caps as its profile. Conditions are not compared with each other
 * to find more of them (`optimize_and_compare_chain`): times are bounded on the column itself, and it was a sixth of
 * the time in which the engine takes a chart of histograms apart. Nor are keys of groups looked for that follow from others
 * (`optimize_group_by_function_keys`, `optimize_aggregators_of_group_by_keys`): our groups have none, and each of the two
 * looks through all selects within a select once more for every one around them, together another sixth.
 */
export function usersXml(caps: EngineCaps): string {
  return `<clickhouse>
  <profiles><default>
    <async_insert>0</async_insert>
    <max_memory_usage>${caps.queryMemoryBytes}</max_memory_usage>
    <max_execution_time>${caps.executionSeconds}</max_execution_time>
    <max_result_rows>${caps.resultRows}</max_result_rows>
    <max_result_bytes>${caps.resultBytes}</max_result_bytes>
${statementSize}
    <result_overflow_mode>throw</result_overflow_mode>
    <use_uncompressed_cache>0</use_uncompressed_cache>
    <optimize_and_compare_chain>0</optimize_and_compare_chain>
    <optimize_group_by_function_keys>0</optimize_group_by_function_keys>
    <optimize_aggregators_of_group_by_keys>0</optimize_aggregators_of_group_by_keys>
    <output_format_json_quote_64bit_integers>0</output_format_json_quote_64bit_integers>
    <date_time_input_format>best_effort</date_time_input_format>
    <log_queries>0</log_queries>
    <log_query_threads>0</log_query_threads>
    <memory_profiler_step>0</memory_profiler_step>
    <query_profiler_real_time_period_ns>0</query_profiler_real_time_period_ns>
    <query_profiler_cpu_time_period_ns>0</query_profiler_cpu_time_period_ns>
  </default></profiles>
  <users><default>
    <password></password>
    <networks><ip>::/0</ip></networks>
    <profile>default</profile>
    <quota>default</quota>
  </default></users>
  <quotas><default></default></quotas>
</clickhouse>
`;
}

const statementSize = Object.entries(STATEMENT_SIZE)
  .map(([name, value]) => `    <${name}>${value}</${name}>`)
  .join('\n');

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
