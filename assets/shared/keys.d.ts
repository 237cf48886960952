// Made from the words of Python by `python -m scripts.made_docs`: a key that is misspelt fails in `make check`.

/** The keys of WORDS (player/words.js). */
export type WordKey =
  "a_alpha" | "a_alpha_is" | "a_drafted" | "a_drafted_is" | "a_match" | "a_of" | "a_other" | "a_positions" |
  "a_tested" | "a_tested_is" | "ahead_bigram" | "ahead_block" | "ahead_eagle" | "ahead_heads" | "ahead_layers" |
  "ahead_lookup" | "ahead_model" | "ahead_random" | "ahead_table" | "ahead_target" | "and" | "at" | "at_asked" |
  "at_decide" | "at_draft" | "at_emit_bonus" | "at_emit_bonus_tree" | "at_emit_corrected" | "at_emit_ended" |
  "at_emit_plain" | "at_kept" | "at_kept_greedy" | "at_kept_match" | "at_over" | "at_pass" | "at_rejected" |
  "at_rejected_greedy" | "at_rejected_match" | "at_verify" | "at_void" | "bars_title" | "bars_title_p" |
  "basis_calculated" | "basis_counted" | "basis_measured" | "before_temperature" | "beta" | "beta_argmax" |
  "beta_match" | "beta_other" | "between" | "block" | "block_most" | "block_one" | "block_tree" | "bonus" |
  "bonus_greedy" | "bonus_match" | "bonus_tree" | "by_processor" | "by_processor_is" | "cache_again" |
  "cache_appended" | "cache_behind" | "cache_cell" | "cache_copied" | "cache_copy" | "cache_draft" | "cache_drafting"
  | "cache_forgets" | "cache_gathered" | "cache_gone" | "cache_gone_one" | "cache_held" | "cache_kept" | "cache_lacks"
  | "cache_missing" | "cache_more" | "cache_pass" | "cache_pass_one" | "cache_plain" | "cache_replayed" |
  "cache_rolled" | "cache_row" | "cache_state" | "cache_target" | "cache_title" | "cache_undone" | "cache_unread" |
  "cache_untold" | "cache_waits" | "cache_window" | "captured" | "chart_across" | "chart_range" | "chart_up" | "check"
  | "check_one" | "checked" | "checked_alone" | "checked_greedy" | "checked_match" | "choice_most" | "choice_none" |
  "choice_probe" | "choice_trial" | "choose" | "clock" | "close" | "close_inspector" | "context_full" | "corrected" |
  "corrected_block" | "corrected_greedy" | "corrected_match" | "corrected_typical" | "counter" | "decision_assumed" |
  "decision_assumed_even" | "decision_assumed_later" | "decision_assumed_line" | "decision_assumed_load" |
  "decision_assumed_rounded" | "decision_assumed_same" | "decision_assumed_shorter" | "decision_assumed_uneven" |
  "decision_best" | "decision_c" | "decision_flag" | "decision_flag_none" | "decision_interval_is" | "decision_is" |
  "decision_missing_K" | "decision_missing_contradicted" | "decision_missing_mixed" | "decision_missing_steps" |
  "decision_next" | "decision_next_K" | "decision_next_acceptance" | "decision_next_costs" | "decision_now" |
  "decision_speedup" | "decision_title" | "decision_unit" | "decision_v" | "decision_verdict" |
  "decision_verdict_none" | "decision_verdict_open" | "decision_verdict_pays" | "decoding_only" | "departures" |
  "details" | "disturbed" | "draft_full" | "draft_only" | "draft_only_greedy" | "eager" | "earlier" | "empty" |
  "ended_cancelled" | "ended_context" | "ended_eos" | "ended_error" | "ended_length" | "ended_stop" | "engine" |
  "engine_note_transformers" | "engine_note_vLLM" | "entropies" | "entropies_own" | "entropy" | "f_best" |
  "f_best_here" | "f_best_is" | "f_best_none" | "f_best_zero" | "f_c" | "f_c_is" | "f_parts" | "f_per_forward" |
  "f_per_forward_is" | "f_predicted" | "f_predicted_here" | "f_predicted_is" | "f_predicted_note" | "f_prefix" |
  "f_replay" | "f_replay_is" | "f_same" | "f_speedup" | "f_speedup_busy" | "f_speedup_is" | "f_texts" | "f_tree" |
  "f_tree_c_is" | "f_tree_here" | "f_tree_is" | "f_tree_nodes" | "f_tree_v_is" | "f_tree_zero" | "f_v" | "f_v_is" |
  "f_v_note" | "fewer_adaptive" | "fewer_confidence" | "fewer_context" | "fewer_filter" | "fewer_length" |
  "fewer_lookup" | "fewer_prefill" | "fewer_start" | "fewer_survival" | "forced" | "from_bonus" | "from_p" |
  "from_pick" | "from_residual" | "greedy_differs" | "greedy_logits" | "hard" | "hard_0" | "hard_1" | "hard_2" |
  "hard_3" | "hard_4" | "hard_greedy" | "hard_logits" | "hard_note" | "in_prompt" | "inspector" | "inverse" |
  "kept_block" | "kept_greedy" | "kept_lucky" | "kept_match" | "kept_places" | "kept_siblings" | "kept_sure" |
  "kept_threshold" | "kept_typical" | "kept_untold" | "keys" | "keys_step" | "keys_token" | "kind_alike" |
  "kind_disturbed" | "kind_faster" | "kind_level" | "kind_slower" | "landed" | "landed_elsewhere" | "lane_speculative"
  | "lane_vanilla" | "left_out" | "left_out_cache" | "left_out_chance" | "left_out_p" | "left_out_passes" |
  "left_out_positions" | "left_out_prefill" | "left_out_q" | "left_out_times" | "left_out_u" | "legend" |
  "limit_alpha" | "limit_c" | "limit_is_block" | "limit_is_places" | "limit_is_rejection" | "limit_is_siblings" |
  "limit_is_threshold" | "limit_rest" | "limit_undrafted" | "limit_v" | "live" | "luck" | "machine" | "machine_note" |
  "mask_hint" | "mask_label" | "mask_sees" | "mask_sees_text" | "mask_title" | "masked" | "masked_is" |
  "matrix_chances" | "matrix_greedy" | "matrix_one" | "matrix_other" | "matrix_ran" | "matrix_run" | "matrix_same" |
  "matrix_tie" | "matrix_unknown" | "missing_clock" | "missing_disturbed" | "missing_lane" | "missing_tree" |
  "missing_undrafted" | "missing_untold" | "missing_zero" | "model_note" | "models_alone" | "models_bigram" |
  "models_block" | "models_eagle" | "models_heads" | "models_layers" | "models_lookup" | "models_model" |
  "models_random" | "models_table" | "models_target" | "ms" | "n_decode" | "n_draft_forwards" | "n_drafted" |
  "n_forwards" | "n_per_round" | "n_prefill" | "n_rate" | "n_rate_all" | "n_tokens" | "never_began" | "newline" |
  "next_sibling" | "next_sibling_siblings" | "no_break" | "no_speedup" | "node_label" | "node_pq" | "node_q" | "none"
  | "not_exact" | "not_observed" | "not_yet" | "note_bigram" | "note_block" | "note_eagle" | "note_heads" |
  "note_layers" | "note_lookup" | "note_model" | "note_random" | "note_table" | "note_target" | "note_zero" |
  "numbers" | "observed" | "opening" | "own_is" | "p" | "partial" | "passes" | "passes_partial" | "pause" |
  "phase_decide" | "phase_draft" | "phase_emit" | "phase_verify" | "plain" | "plain_greedy" | "plain_prefill" |
  "plain_prefill_greedy" | "plain_undrafted" | "plain_undrafted_greedy" | "play" | "plot_at" | "plot_at_blocks" |
  "plot_coming" | "plot_how" | "plot_kept" | "plot_kept_p" | "plot_label" | "plot_log" | "plot_lost" | "plot_open" |
  "plot_open_p" | "plot_positions" | "plot_positions_is" | "plot_probability" | "position_accepted" |
  "position_counts" | "position_given_reached" | "position_is" | "position_of_blocks" | "position_position" |
  "position_reached" | "position_three" | "position_title" | "predict" | "predict_accept" | "predict_ask" |
  "predict_ask_alone" | "predict_ask_greedy" | "predict_keys" | "predict_learnt" | "predict_likelier" | "predict_none"
  | "predict_on" | "predict_reject" | "predict_result" | "predict_right" | "predict_score" | "predict_share" |
  "predict_shared" | "predict_shares" | "predict_wait" | "predict_wrong" | "prefix" | "projector" | "projector_off" |
  "prompt_label" | "q" | "q_is" | "q_is_argmax" | "race" | "rate" | "rate_processor" | "record_K" | "record_accepted"
  | "record_accepted_of_drafted" | "record_at_once" | "record_close" | "record_counts_bad" | "record_counts_is" |
  "record_counts_line" | "record_counts_positions" | "record_counts_show" | "record_counts_title" | "record_drafted" |
  "record_drafted_per_step" | "record_format" | "record_is_bench" | "record_is_counts" | "record_is_difference" |
  "record_is_gauges" | "record_is_log" | "record_is_request" | "record_is_requests" | "record_is_server" |
  "record_means" | "record_means_enough" | "record_means_first" | "record_means_last" | "record_means_later" |
  "record_means_load" | "record_means_lost" | "record_means_tokens" | "record_note_cancelled" |
  "record_note_contradicted" | "record_note_copies" | "record_note_hybrid" | "record_note_idle" | "record_note_load" |
  "record_note_mixed" | "record_note_undrafted" | "record_note_undrafted_pace" | "record_note_whole" | "record_notes"
  | "record_positions_is" | "record_silent" | "record_steps" | "record_table_K" | "record_table_is" | "record_title" |
  "record_tokens" | "record_tokens_per_pass" | "record_tokens_per_second" | "record_tokens_per_second_median" |
  "record_tokens_per_step" | "record_unread" | "record_unread_is" | "record_untold" | "record_untold_always" |
  "record_untold_counts" | "record_untold_pace" | "record_untold_positions" | "record_untold_steps" | "rejected" |
  "rejected_block" | "rejected_greedy" | "rejected_last" | "rejected_match" | "rejected_places" | "rejected_sibling" |
  "rejected_siblings" | "rejected_threshold" | "rejected_typical" | "rejected_untold" | "replaced" |
  "replaced_typical" | "residual_note" | "residual_note_block" | "residual_title" | "residual_title_block" | "rest" |
  "restart" | "return" | "round_back" | "round_block" | "round_cache" | "round_cache_draft" | "round_cache_plain" |
  "round_cache_what" | "round_cache_why" | "round_chain" | "round_none" | "round_of" | "round_on" | "round_text" |
  "round_times" | "round_tree" | "rule_argmax" | "rule_block" | "rule_greedy" | "rule_match" | "rule_places" |
  "rule_rejection" | "rule_siblings" | "rule_threshold" | "rule_typical" | "run_again" | "s" | "s_decide" | "s_draft"
  | "s_rest" | "s_verify" | "same" | "sampled_differs" | "sampled_inexact" | "scrub" | "set_K" | "set_adaptive" |
  "set_argmax" | "set_block" | "set_confidence" | "set_created" | "set_draft" | "set_grammar" | "set_ignore_eos" |
  "set_length" | "set_match" | "set_places" | "set_seed" | "set_siblings" | "set_stop" | "set_survival" |
  "set_temperature" | "set_threshold" | "set_top_k" | "set_top_p" | "set_tree_dynamic" | "set_tree_static" |
  "set_typical" | "shared" | "sign_apart" | "sign_cheap" | "sign_processor" | "sign_stalled" | "sign_unlike" |
  "softmax_differ" | "softmax_p" | "softmax_same" | "softmax_title" | "softmax_title_p" | "softmax_zero" | "space" |
  "spaces" | "speculative" | "speed" | "speed_1" | "speed_100" | "speed_25" | "speed_5" | "speed_step" | "split" |
  "split_is" | "step_back" | "step_on" | "steps" | "story" | "story_again" | "story_alone" | "story_back" |
  "story_draft" | "story_end" | "story_end_counts" | "story_end_same" | "story_end_same_counts" |
  "story_end_same_slower" | "story_end_slower" | "story_first" | "story_free" | "story_kept" | "story_kept_all" |
  "story_large" | "story_look" | "story_on" | "story_plain" | "story_play" | "story_race_fast" | "story_race_real" |
  "story_race_slow" | "story_replaced" | "story_round" | "story_small" | "story_struck" | "story_struck_one" |
  "story_target" | "story_try" | "story_types" | "story_with" | "struck" | "tab" | "takes" | "takes_busy" |
  "takes_processor" | "takes_step" | "teach" | "template" | "template_one" | "templates" | "timed" | "timed_few" |
  "timed_is" | "timed_often" | "timed_once" | "timed_processor" | "timeline_bar" | "timeline_draft" | "timeline_label"
  | "timeline_lane" | "timeline_none" | "timeline_rest" | "timeline_unit" | "timeline_verify" | "token_label" |
  "try_back" | "try_hint" | "try_kept" | "try_rejected" | "try_rejected_back" | "try_rejected_end" |
  "try_rejected_one" | "try_rejected_tree" | "try_same_kept" | "try_same_later" | "try_same_rejected" |
  "try_same_sure" | "try_u" | "try_value" | "u_any" | "u_falls" | "u_is" | "u_is_block" | "u_keep" | "u_line" |
  "u_mark" | "u_reject" | "u_title" | "u_waits" | "under_way" | "undrafted" | "undrafted_all" | "unexamined" |
  "unexamined_block" | "unexamined_ended" | "unexamined_tree" | "unread" | "untold" | "vanilla" | "vanilla_note" |
  "verifying" | "void" | "void_replaced" | "void_sign" | "void_word" | "where_after" | "where_draft" | "who_bigram" |
  "who_block" | "who_eagle" | "who_heads" | "who_layers" | "who_lookup" | "who_model" | "who_random" | "who_table" |
  "who_target" | "why_faster" | "why_level" | "why_slower" | "with_key";

/** The keys of PAGE (learn/lesson.js). */
export type LearnKey =
  "accept_alpha" | "accept_bars" | "accept_coin" | "accept_gone" | "accept_kept" | "accept_own_gone" |
  "accept_own_kept" | "accept_sure" | "again" | "alone_pass" | "back" | "blocks" | "blocks_ask" | "blocks_measured" |
  "blocks_ms" | "blocks_n" | "blocks_outline" | "blocks_say" | "bound" | "bound_card" | "branch" | "branch_known" |
  "branch_other" | "busy" | "busy_alone" | "busy_dont" | "busy_map" | "busy_more" | "busy_none" | "busy_on" |
  "busy_one" | "busy_small" | "busy_still" | "busy_texts" | "busy_v" | "busy_where" | "by_hand" | "chapter_of" |
  "chapters" | "coin" | "coin_any" | "coin_back" | "coin_keep" | "coin_limit" | "coin_own" | "coin_reject" | "copied"
  | "copy" | "decoding" | "draft_done" | "draft_draw" | "draft_look" | "draft_view" | "draw" | "draw_more" | "drawn" |
  "draws" | "draws_none" | "draws_value" | "elsewhere" | "engine" | "engine_chance" | "engine_default" |
  "engine_inexact" | "engine_options" | "engines_known" | "engines_says" | "exercise" | "experts_apart" |
  "experts_ask" | "experts_block" | "experts_chart" | "experts_first" | "experts_formula" | "experts_layer" |
  "experts_mean" | "experts_more" | "experts_read" | "experts_row" | "experts_slower" | "experts_tokens" |
  "experts_two" | "experts_up" | "experts_v" | "experts_view" | "experts_where" | "game_says" | "glossary" |
  "grammar_accepted" | "grammar_forced" | "grammar_free" | "grammar_how" | "grammar_mask" | "grammar_run" |
  "grammar_says" | "grammar_tokens" | "grammar_void" | "grammar_with" | "grammar_without" | "guess_1" | "guess_2" |
  "guess_3" | "guess_4" | "guess_bounds" | "guess_compare" | "guess_device" | "guess_elsewhere" | "guess_first" |
  "guess_measure" | "guess_measured" | "guess_recorded" | "guess_unit" | "hard_asked" | "hard_easy" | "hard_hard" |
  "hard_p" | "hard_q" | "hard_view" | "hard_where" | "inexact" | "inexact_argmax" | "inexact_drawn" | "inexact_how" |
  "inexact_none" | "inexact_others" | "inexact_says" | "inexact_value" | "k_1" | "k_2" | "k_3" | "k_4" | "k_5" |
  "k_after" | "k_line" | "k_plane" | "k_title" | "k_value" | "k_where" | "keys" | "leave_projector" | "lesson" |
  "lesson_what" | "link" | "loading" | "lost" | "map" | "map_K" | "map_alpha" | "map_best" | "map_c" | "map_here" |
  "map_reset" | "map_slower" | "map_v" | "map_v_note" | "measure" | "measure_again" | "measure_failed" | "measured" |
  "measuring" | "more" | "next" | "notes" | "notes_able" | "notes_alone" | "notes_answer" | "notes_blocked" |
  "notes_key" | "notes_keys" | "notes_now" | "notes_say" | "notes_title" | "notes_where" | "nothing" | "on" |
  "overlaps" | "overlaps_label" | "p" | "p_after" | "pack" | "pack_blocked" | "pack_what" | "part_p" | "part_residual"
  | "part_shared" | "part_wrong" | "pass_runs" | "pause" | "phones_answer" | "phones_ask" | "phones_end" |
  "phones_voted" | "place_run" | "place_says" | "play" | "position" | "position_a_chain" | "position_a_tree" |
  "position_chain" | "position_chosen" | "position_exact" | "position_gives" | "position_n" | "position_speed" |
  "position_sure" | "position_tree" | "position_unsure" | "position_view" | "pq" | "predict" | "predict_first" |
  "previous" | "processor" | "processor_view" | "projector" | "q" | "q_here" | "read" | "recorded" | "residual_1" |
  "residual_2" | "residual_3" | "residual_4" | "residual_wrong" | "rest" | "right" | "room" | "room_code_close" |
  "room_code_open" | "room_local" | "room_lost" | "room_over" | "room_qr" | "room_text" | "rounds_axis" |
  "rounds_best" | "rounds_end" | "rounds_mean" | "rounds_now" | "rounds_one" | "rounds_whole" | "rounds_worst" |
  "rule_always" | "rule_argmax" | "rule_best" | "rule_block" | "rule_equal" | "rule_match" | "rule_most" |
  "rule_never" | "rule_rejection" | "rules" | "run_1" | "run_2" | "run_3" | "run_4" | "run_as_promised" | "run_faster"
  | "run_formula" | "run_given" | "run_independent" | "run_measured" | "run_note" | "run_place" | "run_place_one" |
  "run_place_value" | "run_places" | "run_speeds" | "run_stayed" | "run_value" | "server" | "server_alpha" |
  "server_assumed" | "server_check" | "server_compute" | "server_context" | "server_drafting" | "server_full" |
  "server_long" | "server_many" | "server_memory" | "server_none" | "server_note" | "server_one" | "server_own" |
  "server_pass" | "server_read" | "server_result" | "server_room" | "server_texts" | "server_title" | "shape_accepted"
  | "shape_budget" | "shape_chain" | "shape_depth" | "shape_engines" | "shape_few" | "shape_is" | "shape_many" |
  "shape_pass" | "shape_rank" | "shape_speed" | "shape_thin" | "shape_tokens" | "shape_tree" | "shape_v" |
  "shapes_view" | "shared" | "sheet" | "sheet_what" | "show_answers" | "slow_says" | "slow_view" | "sources" |
  "speed_here" | "speed_none" | "speed_step" | "stack_draft" | "stack_read" | "stack_target" | "stage_check" |
  "stage_end" | "stage_guess" | "state_again" | "state_copy" | "state_cost" | "state_costs" | "state_cut" |
  "state_cut_value" | "state_pass" | "state_passes" | "state_read" | "state_whole" | "stop" | "switch" | "switch_says"
  | "teach" | "time" | "track_many" | "track_one" | "trio_apart" | "trio_draft" | "trio_target" | "try" |
  "verify_feed" | "verify_if" | "verify_out" | "verify_pass" | "verify_times" | "view_bonus" | "view_engines" |
  "view_grammar" | "view_inexact" | "view_k" | "view_map" | "view_places" | "view_run" | "view_state" | "view_switch"
  | "view_trio" | "way" | "way_cost" | "way_end" | "way_published" | "way_reads" | "ways_view" | "weights" | "whole_1"
  | "whole_2" | "whole_3" | "whole_4" | "whole_line" | "whole_models" | "whole_one" | "whole_signs" | "whole_three" |
  "whole_two" | "whole_ways" | "whole_wrong" | "wrong" | "wrong_value";

/** The keys of the words of a panel of the Lab, whichever. */
export type PanelKey =
  "K" | "Ks" | "accepted" | "accepted_column" | "accepted_greedy" | "accepted_q" | "again" | "agrees" | "all" |
  "alone" | "alpha" | "alpha_column" | "answers_csv" | "answers_none" | "asked" | "at" | "at_best" | "back_to_lesson"
  | "bars" | "best" | "best_K" | "best_block" | "best_place" | "beta" | "bonus" | "bonus_greedy" | "busy" | "by_load"
  | "by_processor" | "c" | "came" | "cell" | "cell_busy" | "cell_counted" | "cell_unknown" | "certain" | "chi_doubt" |
  "chi_impossible" | "chi_loud" | "chi_none" | "chi_quiet" | "children" | "class" | "class_hidden" | "close" |
  "close_ask" | "close_no" | "close_yes" | "code" | "column_due" | "column_exact" | "column_p" | "compare" |
  "corrected" | "corrected_greedy" | "costs_line" | "csv" | "cut" | "cut_empty" | "cut_long" | "dot" |
  "drafted_column" | "drafter" | "drafter_bigram" | "drafter_block" | "drafter_eagle" | "drafter_early-exit" |
  "drafter_large" | "drafter_lookup" | "drafter_mtp" | "drafter_oracle" | "drafter_random" | "drafter_small" |
  "drafters" | "drafting" | "drafting_argmax" | "drafting_sample" | "draws_axis" | "empty" | "ended" | "exact_right" |
  "exact_unseen" | "exact_wrong" | "expected" | "falling" | "fastest" | "fastest_one" | "fetching" | "first" |
  "first_Ks" | "first_setting" | "first_temperature" | "formerly" | "from" | "from_all-accepted" |
  "from_answer-capital" | "from_answer-code" | "from_answer-hot" | "from_answer-json" | "from_answer-sums" |
  "from_answer-tree" | "from_block" | "from_code" | "from_creative" | "from_example" | "from_experts" |
  "from_gpu-creative" | "from_gpu-predictable" | "from_gpu-synthetic" | "from_hot" | "from_hybrid" | "from_language" |
  "from_lookup" | "from_opening" | "from_poor-draft" | "from_predictable" | "from_question" | "from_rejected-first" |
  "from_rewriting" | "from_run" | "from_tree" | "from_typed" | "from_vllm" | "from_wide-tree" | "from_zero" | "guess"
  | "guess_of" | "guessed" | "hand_p" | "hand_q" | "handout" | "handout_note" | "here" | "inside" | "interval" |
  "join" | "key_exact" | "key_luck" | "key_p" | "latency" | "left" | "legend" | "length" | "lines" | "lost" | "map" |
  "measured" | "median" | "most" | "nameless" | "never" | "no_winner" | "nodes" | "none" | "none_faster" | "note" |
  "note_most" | "note_rest" | "nothing" | "nothing_open" | "nothing_room" | "of_again" | "of_hundred" | "of_seeds" |
  "on" | "one_of" | "open" | "opening" | "outcome" | "own" | "own_accept" | "own_code" | "own_elsewhere" |
  "own_everywhere" | "own_fails" | "own_hopeless" | "own_last" | "own_mend" | "own_names" | "own_preset" | "own_price"
  | "own_question" | "own_replace" | "own_source" | "p" | "pace" | "pareto" | "phones_answer" | "phones_ask" |
  "phones_end" | "phones_voted" | "picked" | "place" | "place_bonus" | "place_unseen" | "play" | "players" | "point" |
  "predicted" | "preset_ensemble" | "preset_match" | "preset_rejection" | "preset_resample" | "preset_threshold" |
  "preset_typed" | "preset_typical" | "price" | "prompt" | "prompt_most" | "q" | "quartiles" | "ratio" | "recorded" |
  "rejected" | "rejected_greedy" | "rejected_q" | "remove" | "rest" | "room" | "room_code_close" | "room_code_open" |
  "room_gone" | "room_local" | "room_lost" | "room_over" | "room_qr" | "room_text" | "root" | "round" | "round_of" |
  "row_again" | "row_setting" | "rule" | "rule_argmax" | "rule_block" | "rule_chosen" | "rule_doubtful" | "rule_early"
  | "rule_filtered" | "rule_greedy" | "rule_match" | "rule_mixed" | "rule_most" | "rule_own" | "rule_recursive" |
  "rule_rejection" | "rule_resample" | "rule_room" | "rule_room_greedy" | "rule_softened" | "rule_stuck" |
  "rule_typical" | "rule_unrewarded" | "run" | "run_empty" | "run_none" | "sample" | "save_answers" | "scatter" |
  "second" | "second_setting" | "seed" | "seed_bound" | "seed_bounds" | "seeds" | "setting_head" | "shape_dynamic" |
  "shape_static" | "slower" | "so_far" | "source" | "source_ensemble" | "source_match" | "source_rejection" |
  "source_resample" | "source_threshold" | "source_typical" | "speedup" | "stays" | "step" | "stops" | "tally" |
  "tally_note" | "teach" | "temperature" | "tested_column" | "text" | "text_pace" | "texts" | "texts_axis" | "thrown"
  | "to_watch" | "tokens" | "tokens_a_round" | "too_many" | "trade" | "tree" | "tree_dynamic" | "tree_off" |
  "tree_static" | "turns" | "typed_length" | "typed_most" | "typed_one" | "typed_sum" | "u" | "unexamined" |
  "unmeasured" | "unmeasured_here" | "unseen" | "unseen_early" | "unseen_own" | "verifier" | "verifier_block" |
  "verifier_match" | "verifier_rejection" | "verifier_threshold" | "verifier_typical" | "verify" | "verifying" |
  "waiting" | "way" | "where_measured" | "who" | "who_column" | "with_drafts" | "without" | "words_most" |
  "wrong_chance" | "wrong_deep" | "wrong_infinite" | "wrong_line" | "wrong_long" | "wrong_missing" | "wrong_negative"
  | "wrong_nested" | "wrong_unexpected" | "wrong_unknown" | "wrong_value" | "wrong_zero" | "wrong_zeros" | "zero" |
  "zero_always" | "zero_between" | "zero_never" | "zero_never_between" | "zero_wins";

/** The keys of the words of the game (play/game.js), but for its texts. */
export type GameKey =
  "again" | "ask" | "chances" | "check" | "field" | "kept" | "kept_last" | "lab" | "looks" | "lost" | "next" | "part"
  | "place" | "result" | "score" | "struck" | "sum" | "target" | "title" | "why" | "yours";

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
