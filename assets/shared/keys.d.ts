// Made from specviz/picture/words.py by `python -m scripts.made_docs`: a key that is misspelt fails in `make check`.

/** The keys of WORDS (words.js). */
export type WordKey =
  "a_alpha" | "a_alpha_is" | "a_drafted" | "a_drafted_is" | "a_match" | "a_of" | "a_other" | "a_positions" |
  "a_tested" | "a_tested_is" | "and" | "at" | "at_asked" | "at_decide" | "at_draft" | "at_emit_bonus" |
  "at_emit_bonus_tree" | "at_emit_corrected" | "at_emit_ended" | "at_emit_plain" | "at_kept" | "at_kept_greedy" |
  "at_kept_match" | "at_over" | "at_pass" | "at_rejected" | "at_rejected_greedy" | "at_rejected_match" | "at_verify" |
  "bars_title" | "bars_title_p" | "beta" | "beta_argmax" | "beta_match" | "beta_other" | "between" | "block" |
  "block_most" | "block_one" | "block_tree" | "bonus" | "bonus_greedy" | "bonus_match" | "bonus_tree" |
  "cache_appended" | "cache_behind" | "cache_cell" | "cache_draft" | "cache_drafting" | "cache_gathered" |
  "cache_gone" | "cache_gone_one" | "cache_held" | "cache_kept" | "cache_lacks" | "cache_lacks_one" | "cache_missing"
  | "cache_more" | "cache_pass" | "cache_pass_one" | "cache_plain" | "cache_replayed" | "cache_rolled" | "cache_row" |
  "cache_target" | "cache_title" | "cache_untold" | "cache_waits" | "cache_window" | "captured" | "chart_across" |
  "chart_range" | "chart_up" | "check" | "check_one" | "checked" | "checked_alone" | "checked_greedy" |
  "checked_match" | "choice_most" | "choice_none" | "choice_probe" | "choice_trial" | "choose" | "clock" |
  "close_inspector" | "context_full" | "corrected" | "corrected_block" | "corrected_greedy" | "corrected_match" |
  "corrected_typical" | "counter" | "decision_assumed" | "decision_assumed_card" | "decision_assumed_even" |
  "decision_assumed_later" | "decision_assumed_line" | "decision_assumed_load" | "decision_assumed_medians" |
  "decision_assumed_rounded" | "decision_assumed_same" | "decision_assumed_shorter" | "decision_assumed_uneven" |
  "decision_at_once" | "decision_c" | "decision_card" | "decision_costs" | "decision_costs_card" |
  "decision_costs_file" | "decision_costs_typed" | "decision_draft" | "decision_file_bad" | "decision_flag" |
  "decision_flag_none" | "decision_head_best" | "decision_head_now" | "decision_head_speedup" | "decision_head_texts"
  | "decision_head_verdict" | "decision_here" | "decision_interval_is" | "decision_is" | "decision_missing_K" |
  "decision_missing_contradicted" | "decision_missing_mixed" | "decision_missing_steps" | "decision_next" |
  "decision_next_K" | "decision_next_acceptance" | "decision_next_costs" | "decision_target" | "decision_title" |
  "decision_unit" | "decision_v" | "decision_verdict_none" | "decision_verdict_open" | "decision_verdict_pays" |
  "decoding_only" | "departures" | "details" | "disturbed" | "draft_full" | "draft_only" | "draft_only_greedy" |
  "eager" | "earlier" | "empty" | "ended_cancelled" | "ended_context" | "ended_eos" | "ended_error" | "ended_length" |
  "ended_stop" | "engine" | "engine_note_transformers" | "engine_note_vLLM" | "entropies" | "entropies_own" |
  "entropy" | "f_best" | "f_best_is" | "f_best_none" | "f_best_zero" | "f_c" | "f_c_is" | "f_parts" | "f_per_forward"
  | "f_per_forward_is" | "f_predicted" | "f_predicted_is" | "f_predicted_note" | "f_prefix" | "f_replay" |
  "f_replay_is" | "f_same" | "f_speedup" | "f_speedup_busy" | "f_speedup_is" | "f_texts" | "f_tree" | "f_tree_c_is" |
  "f_tree_is" | "f_tree_nodes" | "f_tree_v_is" | "f_tree_zero" | "f_v" | "f_v_is" | "f_v_note" | "fewer_adaptive" |
  "fewer_confidence" | "fewer_context" | "fewer_filter" | "fewer_length" | "fewer_lookup" | "fewer_prefill" |
  "fewer_start" | "fewer_survival" | "from_bonus" | "from_p" | "from_pick" | "from_residual" | "greedy_differs" |
  "greedy_logits" | "hard" | "hard_0" | "hard_1" | "hard_2" | "hard_3" | "hard_4" | "hard_greedy" | "hard_logits" |
  "hard_note" | "hide" | "in_prompt" | "inspector" | "inverse" | "kept_block" | "kept_greedy" | "kept_lucky" |
  "kept_match" | "kept_places" | "kept_siblings" | "kept_sure" | "kept_threshold" | "kept_typical" | "kept_untold" |
  "keys" | "keys_step" | "keys_token" | "kind_alike" | "kind_disturbed" | "kind_faster" | "kind_level" | "kind_slower"
  | "landed" | "landed_elsewhere" | "lane_speculative" | "lane_vanilla" | "left_out" | "left_out_cache" |
  "left_out_chance" | "left_out_p" | "left_out_passes" | "left_out_positions" | "left_out_prefill" | "left_out_q" |
  "left_out_times" | "left_out_u" | "legend" | "limit_alpha" | "limit_c" | "limit_is_block" | "limit_is_places" |
  "limit_is_rejection" | "limit_is_siblings" | "limit_is_threshold" | "limit_rest" | "limit_undrafted" | "limit_v" |
  "live" | "luck" | "machine" | "machine_note" | "mask_hint" | "mask_label" | "mask_sees" | "mask_sees_text" |
  "mask_title" | "matrix_chances" | "matrix_greedy" | "matrix_one" | "matrix_other" | "matrix_ran" | "matrix_run" |
  "matrix_same" | "matrix_tie" | "matrix_unknown" | "missing_clock" | "missing_disturbed" | "missing_lane" |
  "missing_tree" | "missing_undrafted" | "missing_untold" | "missing_zero" | "models_alone" | "models_bigram" |
  "models_block" | "models_eagle" | "models_heads" | "models_layers" | "models_lookup" | "models_model" |
  "models_random" | "models_table" | "models_target" | "ms" | "n_decode" | "n_draft_forwards" | "n_drafted" |
  "n_forwards" | "n_per_round" | "n_prefill" | "n_rate" | "n_rate_all" | "n_tokens" | "never_began" | "newline" |
  "next_sibling" | "no_break" | "no_speedup" | "node_label" | "node_pq" | "node_q" | "none" | "not_exact" |
  "not_observed" | "not_yet" | "note_bigram" | "note_block" | "note_eagle" | "note_heads" | "note_layers" |
  "note_lookup" | "note_model" | "note_random" | "note_table" | "note_target" | "note_zero" | "numbers" | "observed" |
  "opening" | "own_is" | "p" | "partial" | "passes" | "passes_partial" | "pause" | "phase_decide" | "phase_draft" |
  "phase_emit" | "phase_verify" | "plain" | "plain_greedy" | "plain_prefill" | "plain_prefill_greedy" |
  "plain_undrafted" | "plain_undrafted_greedy" | "play" | "position_accepted" | "position_counts" |
  "position_given_reached" | "position_is" | "position_of_blocks" | "position_position" | "position_reached" |
  "position_three" | "position_title" | "predict" | "predict_accept" | "predict_ask" | "predict_ask_alone" |
  "predict_ask_greedy" | "predict_keys" | "predict_learnt" | "predict_likelier" | "predict_none" | "predict_on" |
  "predict_reject" | "predict_result" | "predict_right" | "predict_score" | "predict_share" | "predict_shared" |
  "predict_shares" | "predict_wait" | "predict_wrong" | "prefix" | "projector" | "projector_off" | "prompt_label" |
  "q" | "q_is" | "q_is_argmax" | "race" | "rate" | "record_K" | "record_accepted" | "record_accepted_of_drafted" |
  "record_at_once" | "record_close" | "record_dictionary" | "record_dictionary_is" | "record_drafted" |
  "record_drafted_per_step" | "record_format" | "record_is_bench" | "record_is_difference" | "record_is_gauges" |
  "record_is_log" | "record_is_request" | "record_is_requests" | "record_is_server" | "record_means" |
  "record_means_first" | "record_means_last" | "record_means_later" | "record_means_load" | "record_means_lost" |
  "record_means_tokens" | "record_moments" | "record_moments_is" | "record_moments_is_alone" | "record_moments_load" |
  "record_moments_numbers" | "record_note_cancelled" | "record_note_contradicted" | "record_note_copies" |
  "record_note_hybrid" | "record_note_idle" | "record_note_load" | "record_note_mixed" | "record_note_passes" |
  "record_note_undrafted" | "record_note_undrafted_pace" | "record_note_v0" | "record_note_warmup" |
  "record_note_whole" | "record_notes" | "record_percentiles_is" | "record_positions_is" | "record_prompts" |
  "record_prompts_label" | "record_prompts_third" | "record_rounds" | "record_rounds_first" | "record_rounds_is" |
  "record_rounds_is_kept" | "record_rounds_numbers" | "record_rounds_of" | "record_silent" | "record_speedup" |
  "record_speedup_cost" | "record_speedup_slower" | "record_spread_accepted_of_drafted" | "record_spread_is" |
  "record_spread_tokens_per_step" | "record_step" | "record_step_kept" | "record_steps" | "record_table_K" |
  "record_table_is" | "record_title" | "record_tokens" | "record_tokens_per_second" |
  "record_tokens_per_second_median" | "record_tokens_per_step" | "record_unread" | "record_unread_is" |
  "record_untold" | "record_untold_always" | "record_untold_counts" | "record_untold_pace" | "record_untold_positions"
  | "record_untold_rounds" | "record_untold_steps" | "record_vanilla" | "record_worst" | "record_worst_counts" |
  "record_worst_prompt" | "record_worst_request" | "record_worst_value_accepted_of_drafted" |
  "record_worst_value_tokens_per_step" | "rejected" | "rejected_block" | "rejected_greedy" | "rejected_last" |
  "rejected_match" | "rejected_places" | "rejected_sibling" | "rejected_siblings" | "rejected_threshold" |
  "rejected_typical" | "rejected_untold" | "replaced" | "replaced_typical" | "residual_note" | "residual_note_block" |
  "residual_title" | "residual_title_block" | "rest" | "restart" | "return" | "round_back" | "round_block" |
  "round_cache" | "round_cache_draft" | "round_cache_why" | "round_chain" | "round_none" | "round_of" | "round_on" |
  "round_text" | "round_times" | "round_tree" | "rule_argmax" | "rule_block" | "rule_greedy" | "rule_match" |
  "rule_places" | "rule_rejection" | "rule_siblings" | "rule_threshold" | "rule_typical" | "run_again" | "s" |
  "s_decide" | "s_draft" | "s_rest" | "s_verify" | "same" | "sampled_differs" | "sampled_inexact" | "save_bars" |
  "scrub" | "set_K" | "set_adaptive" | "set_argmax" | "set_block" | "set_confidence" | "set_created" | "set_draft" |
  "set_ignore_eos" | "set_length" | "set_match" | "set_places" | "set_seed" | "set_siblings" | "set_stop" |
  "set_survival" | "set_temperature" | "set_threshold" | "set_top_k" | "set_top_p" | "set_tree_dynamic" |
  "set_tree_static" | "set_typical" | "shared" | "sign_apart" | "sign_cheap" | "sign_processor" | "sign_stalled" |
  "sign_unlike" | "space" | "spaces" | "speculative" | "speed" | "speed_1" | "speed_100" | "speed_25" | "speed_5" |
  "speed_step" | "split" | "split_is" | "step_back" | "step_on" | "steps" | "story" | "story_again" | "story_alone" |
  "story_back" | "story_end" | "story_end_counts" | "story_end_same" | "story_end_same_counts" | "story_first" |
  "story_free" | "story_kept" | "story_kept_all" | "story_large" | "story_look" | "story_on" | "story_play" |
  "story_race_fast" | "story_race_real" | "story_race_slow" | "story_replaced" | "story_round" | "story_small" |
  "story_struck" | "story_struck_one" | "story_try" | "story_types" | "story_with" | "tab" | "takes" | "takes_busy" |
  "takes_step" | "teach" | "template" | "timed" | "timed_few" | "timed_is" | "timed_often" | "timed_once" |
  "timeline_bar" | "timeline_draft" | "timeline_label" | "timeline_lane" | "timeline_rest" | "timeline_unit" |
  "timeline_verify" | "token_label" | "try_back" | "try_hint" | "try_kept" | "try_rejected" | "try_rejected_back" |
  "try_rejected_end" | "try_rejected_one" | "try_rejected_tree" | "try_same_kept" | "try_same_later" |
  "try_same_rejected" | "try_same_sure" | "try_u" | "try_value" | "u_any" | "u_falls" | "u_is" | "u_is_block" |
  "u_keep" | "u_line" | "u_mark" | "u_reject" | "u_title" | "u_waits" | "under_way" | "undrafted" | "undrafted_all" |
  "unexamined" | "unexamined_block" | "unexamined_ended" | "unexamined_tree" | "unread" | "untold" | "vanilla" |
  "vanilla_note" | "verifying" | "where_after" | "where_draft" | "why_faster" | "why_level" | "why_slower" |
  "with_key";

/** A key as it stands in a script; `Key` is never a key where no word can have it, and any text where it is data alone. */
export type Checked<Key extends string> = string extends Key
  ? Key
  : Key extends WordKey
    ? Key
    : Record<never, never> extends Record<Key, 1>
      ? [Extract<WordKey, Key>] extends [never]
        ? never
        : Key
      : never;

/** What these are not, `make check` fails at: no key. */
type NoKey<Key extends never> = Key;
export type Misspelt = NoKey<Checked<"not_exakt"> | Checked<`verdikt_${string}`>>;
