"""The faults, and the test that finds each: of the guarantees that the documentation names."""

from __future__ import annotations

from dataclasses import dataclass

_POOL = "tests/melm_studio/workers/test_supervisor.py"
_LANE = "tests/melm_studio/workers/test_scheduling.py"
_STORE = "tests/melm_studio/runs/store"
_GUARDS = "tests/callbacks/guards"
_READER = "tests/melm_studio/reading/test_file_reader.py"
_READINGS = "tests/melm_studio/reading/test_readings.py"
_TABLES = "tests/melm_studio/tables"
_KEYS = "tests/callbacks"
_WEB_PROCESS = "tests/test_web_process.py"
_SHARED_MEMORY = "test_its_threads_share_free_memory_and_its_libraries_are_left_out_of_collections"
_GRANT = "melm_studio/runs/records/grant.py"
_WEIGHTS = "tests/melm_core/melm/test_sample_weights.py"
_DENSITIES = "tests/melm_core/density/test_class_densities.py"
_REFITS = "tests/melm_core/evaluation/test_refits.py"
_STUDY = "tests/melm_core/evaluation/test_study.py"
_REGIONS = "tests/melm_core/density/test_place_regions.py"


@dataclass(frozen=True)
class Mutant:
    """A fault.

    Attributes
    ----------
    path : str
        A file of the project.
    before, after : str
        A text that is in the file once, and what replaces it.
    test : str
        The test that must fail then, as pytest names it.
    """

    path: str
    before: str
    after: str
    test: str


MUTANTS = (
    Mutant(
        "melm_core/density/covariances.py",
        "    return whitening(pooled, np.sqrt(np.diag(total)))\n",
        "    return whitener\n",
        f"{_WEIGHTS}::test_whitening_densities_objective_and_gradient_are_those_of_repeated_rows",
    ),
    Mutant(
        "melm_core/density/kernel_density.py",
        "    whitener = whitener @ fixed_axes(space.lift_columns(whitener))\n",
        "",
        f"{_WEIGHTS}::test_random_starts_are_those_of_repeated_rows",
    ),
    Mutant(
        "melm_core/melm/search.py",
        "not classes.sums_planes_together(settings.engine):",
        "True:",
        "tests/melm_core/melm/test_documented_functions.py"
        "::test_what_the_architecture_names_is_called_by_a_fit",
    ),
    Mutant(
        "melm_studio/runs/store/attempts.py",
        "DEAD_AFTER_S = 3.0",
        "DEAD_AFTER_S = 60.0",
        f"{_STORE}/test_attempts.py::test_a_dead_worker_is_noticed_within_five_seconds",
    ),
    Mutant(
        "melm_studio/runs/store/attempts.py",
        "            return last\n",
        "            return beat_s, now - (self._clock.time() - beat_s)\n",
        f"{_STORE}/test_attempts.py::test_a_jump_of_the_clock_loses_no_run",
    ),
    Mutant(
        "melm_studio/workers/background_threads.py",
        '_STOPPED = {"T", "t"}',
        "_STOPPED = set()",
        f"{_POOL}::test_the_run_of_a_worker_that_hangs_goes_on_within_five_seconds",
    ),
    Mutant(
        "melm_studio/workers/supervisor.py",
        "SILENT_AFTER_S = 3.0",
        "SILENT_AFTER_S = 3_000.0",
        f"{_POOL}::test_a_supervisor_that_hangs_is_started_again",
    ),
    Mutant(
        "melm_studio/workers/pool.py",
        "END_GRACE_S = 2.0",
        "END_GRACE_S = 2_000.0",
        "tests/melm_studio/workers/test_pool.py"
        "::test_a_process_that_neither_works_nor_listens_is_killed_where_its_run_should_stop",
    ),
    Mutant(
        "melm_studio/workers/scheduling.py",
        "TURN_S = 3.0",
        "TURN_S = 3_000.0",
        f"{_LANE}::test_endless_runs_give_way_to_those_of_others_and_go_on",
    ),
    Mutant(
        "melm_studio/workers/scheduling.py",
        "    return n_workers\n",
        "    return 0\n",
        f"{_LANE}::test_what_somebody_looks_at_begins_while_others_hold_every_worker",
    ),
    Mutant(
        "melm_studio/workers/scheduling.py",
        "\nLANE_S = 3.0",
        "\nLANE_S = 3_000.0",
        f"{_LANE}::test_a_run_that_had_its_seconds_gives_way_where_no_worker_is_free",
    ),
    Mutant(
        "melm_studio/workers/scheduling.py",
        "CONTESTED_LANE_S = 0.5",
        "CONTESTED_LANE_S = 5_000.0",
        f"{_LANE}::test_a_full_lane_is_left_to_who_waits_for_it",
    ),
    Mutant(
        "melm_studio/workers/scheduling.py",
        "max(n_workers - n_in_lane, min(n_workers, 1))",
        "n_workers - n_in_lane",
        f"{_LANE}::test_what_nobody_looks_at_begins_however_busy_the_lane_is",
    ),
    Mutant(
        "melm_studio/workers/scheduling.py",
        "max(n_workers - n_in_lane, min(n_workers, 1))",
        "n_workers",
        f"{_LANE}::test_runs_are_asked_at_once_to_give_way_to_the_lane_and_one_is_left",
    ),
    Mutant(
        "melm_studio/workers/scheduling.py",
        "n_own < share_of_address(most, n_all)",
        "n_all < most",
        f"{_LANE}::test_one_address_leaves_processes_to_others_however_much_it_looks_at",
    ),
    Mutant(
        "melm_studio/workers/scheduling.py",
        "BACKGROUND_NICENESS = 10",
        "BACKGROUND_NICENESS = 0",
        f"{_LANE}::test_a_run_in_the_lane_has_a_higher_priority_until_it_had_its_seconds",
    ),
    Mutant(
        "melm_studio/workers/pool.py",
        "self._settings.max_runs_mb * BYTES_PER_MB / 2",
        "self._settings.max_runs_mb * BYTES_PER_MB * 2",
        f"{_LANE}::test_no_more_processes_than_workers_begin_where_runs_take_half_of_the_memory",
    ),
    Mutant(
        "melm_studio/runs/store/fair_queue.py",
        "            position_of.get(address_of(record.owner), -1),\n",
        "",
        f"{_STORE}/test_store_queue.py"
        "::test_many_cookies_of_an_address_wait_as_one_for_what_they_look_at",
    ),
    Mutant(
        "melm_studio/runs/store/fair_queue.py",
        "MOST_REMEMBERED = 200",
        "MOST_REMEMBERED = 1",
        f"{_STORE}/test_store_queue.py"
        "::test_many_cookies_of_an_address_wait_as_one_for_what_they_look_at",
    ),
    Mutant(
        "melm_studio/runs/execution/giving_way.py",
        "return request.gives_way and not request.is_cancelled",
        "return False",
        "tests/melm_studio/runs/execution/test_giving_way.py"
        "::test_a_run_waits_until_it_is_its_turn_and_says_so",
    ),
    Mutant(
        "melm_studio/runs/execution/giving_way.py",
        "LONGEST_S = 3_600.0",
        "LONGEST_S = 36_000.0",
        "tests/melm_studio/runs/execution/test_giving_way.py::test_a_forgotten_pause_ends_by_itself",
    ),
    Mutant(
        "melm_studio/workers/recorder.py",
        "progress.is_better(self.best)",
        "not progress.is_better(self.best)",
        "tests/melm_studio/workers/test_execute.py::test_a_failed_run_keeps_its_best_plane",
    ),
    Mutant(
        "melm_core/density/class_densities.py",
        "        if self._is_prepared(quantity, n_evaluations):\n",
        "        if False:\n",
        "tests/melm_studio/planes/test_projected_classes.py"
        "::test_another_kernel_width_passes_over_no_row_again",
    ),
    Mutant(
        "melm_core/density/class_densities.py",
        "self.potentials is not None and self.potentials.serves(covariances)",
        "self.potentials is not None",
        "tests/melm_studio/planes/test_projected_classes.py"
        "::test_potentials_of_narrow_kernels_do_not_serve_much_wider_ones",
    ),
    Mutant(
        "melm_core/density/class_densities.py",
        "        return self.is_sample\n",
        "        return self.prepared.densities is not None\n",
        f"{_DENSITIES}::test_logarithms_of_rows_in_memory_are_exact_where_sums_are_prepared",
    ),
    Mutant(
        "melm_core/density/class_densities.py",
        '        if not in_memory(self.rows):\n            return "blocks"\n',
        "",
        f"{_DENSITIES}::test_rows_that_are_not_in_memory_are_summed_block_by_block",
    ),
    Mutant(
        "melm_core/density/regions.py",
        "    rest = density - row_shares * np.exp",
        "    rest = density - 0.0 * np.exp",
        "tests/melm_core/density/test_regions.py"
        "::test_regions_hold_their_shares_of_fresh_rows_at_every_kernel_width",
    ),
    Mutant(
        "melm_core/density/class_densities.py",
        "seconds < at_least or seconds < self._transform_seconds()",
        "True",
        f"{_DENSITIES}::test_few_rows_are_summed_directly_and_many_are_transformed",
    ),
    Mutant(
        "melm_studio/runs/store/attempts.py",
        "    with suppress(RunEndedError):\n        _append_best_plane(store, record.run_id)\n",
        "",
        f"{_STORE}/test_attempts.py"
        "::test_a_run_whose_heartbeat_stopped_is_queued_again_with_its_best_plane",
    ),
    Mutant(
        "melm_studio/runs/store/attempts.py",
        "MOST_LOSSES = 3",
        "MOST_LOSSES = 3_000",
        f"{_STORE}/test_attempts.py"
        "::test_a_run_that_takes_its_workers_down_is_given_up_and_says_so",
    ),
    Mutant(
        "melm_studio/runs/store/attempts.py",
        "or record.attempt != seen.attempt:\n        return\n",
        "or False:\n        return\n",
        f"{_STORE}/test_attempts.py"
        "::test_of_two_who_find_it_lost_the_second_leaves_the_next_attempt_alone",
    ),
    Mutant(
        "melm_studio/runs/execution/giving_way.py",
        "    if request.attempt != attempt:\n",
        "    if False:\n",
        "tests/melm_studio/workers/test_execute.py"
        "::test_a_worker_that_was_taken_for_dead_leaves_the_run_to_the_next",
    ),
    Mutant(
        "melm_studio/workers/background_threads.py",
        "                    os.kill(pid, signal.SIGKILL)\n",
        "                    pass\n",
        "tests/melm_studio/workers/test_pool.py"
        "::test_a_process_that_is_stopped_with_the_lock_of_the_store_is_killed",
    ),
    Mutant(
        "melm_studio/runs/store/quota.py",
        "if ticks >= self._trusted_from_s:",
        "if True:",
        f"{_STORE}/test_eviction.py::test_a_clock_that_jumps_deletes_nothing",
    ),
    Mutant(
        "melm_studio/runs/store/quota.py",
        "-JUMP_S < now - swept_s < SECONDS_PER_DAY",
        "True",
        f"{_STORE}/test_eviction.py::test_a_start_with_a_wrong_clock_deletes_nothing",
    ),
    Mutant(
        "melm_studio/runs/store/fair_queue.py",
        "            claimed[record.owner],\n",
        "",
        "tests/melm_studio/configuration/test_limits.py"
        "::test_of_one_address_the_next_run_is_of_the_visitor_with_the_fewest_at_work",
    ),
    Mutant(
        "melm_studio/runs/store/fair_queue.py",
        "            claimed_at[addresses[record.owner]],\n",
        "",
        "tests/melm_studio/configuration/test_limits.py"
        "::test_the_next_run_is_of_the_address_with_the_fewest_at_work",
    ),
    Mutant(
        "melm_studio/configuration/limits.py",
        "return max(total - used, 0)",
        "return total",
        "tests/melm_studio/configuration/test_limits.py"
        "::test_one_address_leaves_bytes_to_others_however_many_cookies_it_has",
    ),
    Mutant(
        "melm_studio/runs/store/quota.py",
        "if n + places > max(share, 1):",
        "if False:",
        "tests/melm_studio/configuration/test_limits.py"
        "::test_one_address_leaves_places_in_the_queue_to_others_however_many_cookies_it_has",
    ),
    Mutant(
        "melm_studio/runs/store/secret_key.py",
        "if len(key) != SECRET_BYTES:",
        "if False:",
        "tests/melm_studio/runs/store/test_secret_key.py"
        "::test_a_key_that_is_damaged_while_a_studio_works_is_not_taken",
    ),
    Mutant(
        "melm_studio/runs/store/folder_identity.py",
        "if len(key) == SECRET_BYTES:",
        "if True:",
        "tests/test_app.py::test_a_damaged_key_is_told_in_a_sentence",
    ),
    Mutant(
        "melm_studio/runs/store/disk_cache.py",
        "fcntl.LOCK_EX | fcntl.LOCK_NB",
        "fcntl.LOCK_SH | fcntl.LOCK_NB",
        "tests/test_app.py::test_a_second_studio_on_one_folder_is_refused_in_a_sentence",
    ),
    Mutant(
        "melm_studio/runs/store/disk_cache.py",
        "    if not is_safe:\n",
        "    if False:\n",
        f"{_STORE}/test_disk.py::test_a_pickle_in_the_folder_is_refused_and_never_run",
    ),
    Mutant(
        "melm_studio/runs/store/disk_cache.py",
        "folder.chmod(0o700)",
        "folder.chmod(0o755)",
        "tests/test_security.py::test_what_visitors_leave_is_closed_to_other_users",
    ),
    Mutant(
        "melm_studio/workspace/workspace.py",
        "if sum(run.table == table for run in _fits_of(runs)) >= MAX_PANELS:",
        "if False:",
        "tests/callbacks/routes/test_new_runs.py"
        "::test_of_presses_at_the_same_time_no_more_than_the_page_holds_become_runs",
    ),
    Mutant(
        "melm_studio/rows/spreadsheet.py",
        r"(?<=[;,|\t\n])",
        r"(?<=[,\n])",
        "tests/callbacks/routes/test_export.py"
        "::test_no_cell_begins_a_formula_whatever_separator_a_spreadsheet_takes",
    ),
    Mutant(
        "callbacks/session.py",
        "SESSION_COOKIE_HTTPONLY=True",
        "SESSION_COOKIE_HTTPONLY=False",
        "tests/callbacks/test_session.py"
        "::test_the_first_answer_names_the_visitor_in_a_guarded_cookie",
    ),
    Mutant(
        "callbacks/session.py",
        "_MOST_AHEAD = timedelta(days=2)",
        "_MOST_AHEAD = timedelta(0)",
        "tests/callbacks/test_session.py::test_a_clock_that_was_set_back_loses_no_visitor",
    ),
    Mutant(
        "callbacks/session.py",
        "        if token_of(request) is not None:\n",
        "        if token_of(request) and services().store.secret():\n",
        f"{_KEYS}/test_identity.py"
        "::test_a_store_that_does_not_answer_is_a_sentence_whatever_a_request_carries",
    ),
    Mutant(
        "callbacks/identity.py",
        "    elif header := services().settings.user_header:\n",
        '    elif header := "":\n',
        "tests/callbacks/routes/test_recovery.py::test_whom_the_proxy_does_not_name_is_refused",
    ),
    Mutant(
        "callbacks/identity.py",
        "if named not in {None, grant.owner}:",
        "if False:",
        f"{_KEYS}/test_identity.py::test_a_token_makes_nobody_else_of_a_user_who_is_logged_in",
    ),
    Mutant(
        "callbacks/identity.py",
        "    if is_by_token():\n",
        "    if False:\n",
        f"{_KEYS}/test_grants.py::test_a_token_makes_neither_tokens_nor_recovery_links",
    ),
    Mutant(
        "callbacks/identity.py",
        "    elif not still_admits(via()):\n",
        "    elif False:\n",
        f"{_KEYS}/test_grants.py"
        "::test_a_browser_that_a_recovery_link_let_in_stays_until_the_link_is_revoked",
    ),
    Mutant(
        "callbacks/identity.py",
        "if HEADER in request.headers:",
        'if request.headers.get(HEADER, "").strip():',
        f"{_KEYS}/test_identity.py::test_an_empty_token_is_no_way_around_a_login",
    ),
    Mutant(
        "callbacks/identity.py",
        "if grant is None or grant.kind is not kind:",
        "if grant is None:",
        "tests/callbacks/routes/test_recovery.py"
        "::test_a_cookie_or_a_token_is_no_link_and_a_link_no_token",
    ),
    Mutant(
        "callbacks/identity.py",
        "MOST_CONTENT_BYTES = 2**16",
        "MOST_CONTENT_BYTES = 2**26",
        f"{_KEYS}/test_grants.py::test_what_a_ticket_opens_is_bounded",
    ),
    Mutant(
        "callbacks/identity.py",
        "if store.bytes_stored() >= store.limits.total_bytes:",
        "if False:",
        f"{_KEYS}/test_grants.py::test_a_full_studio_makes_no_more_grants",
    ),
    Mutant(
        _GRANT,
        "GrantKind.TOKEN: 30 * SECONDS_PER_DAY,",
        "GrantKind.TOKEN: 31 * SECONDS_PER_DAY,",
        f"{_KEYS}/test_grants.py::test_a_token_is_valid_for_30_days_and_no_longer",
    ),
    Mutant(
        _GRANT,
        "GrantKind.RECOVERY: 90 * SECONDS_PER_DAY,",
        "GrantKind.RECOVERY: 900 * SECONDS_PER_DAY,",
        f"{_KEYS}/test_grants.py::test_a_recovery_link_is_valid_for_90_days_and_no_longer",
    ),
    Mutant(
        "melm_studio/publication/printing/axes.py",
        "MOST_PIXELS / page.prod()",
        "MOST_PIXELS / inches.prod()",
        "tests/melm_studio/publication/printing/test_crowded_points.py"
        "::test_images_of_all_panels_together_have_a_bounded_number_of_pixels",
    ),
    Mutant(
        "callbacks/guards/abandoned_requests.py",
        "return not connection.recv(1, ",
        "return None is connection.recv(1, ",
        f"{_GUARDS}/test_abandoned_requests.py::test_what_a_client_asked_for_ends_when_it_leaves",
    ),
    Mutant(
        _GRANT,
        "GrantKind.TICKET: 600.0,",
        "GrantKind.TICKET: 6_000.0,",
        f"{_KEYS}/test_grants.py::test_a_ticket_is_valid_for_ten_minutes_and_no_longer",
    ),
    Mutant(
        _GRANT,
        "{GrantKind.TOKEN: 20, GrantKind.RECOVERY: 10, GrantKind.TICKET: 20}",
        "{GrantKind.TOKEN: 200, GrantKind.RECOVERY: 100, GrantKind.TICKET: 200}",
        f"{_STORE}/test_store_grants.py::test_a_visitor_has_as_many_as_the_page_on_security_says",
    ),
    Mutant(
        _GRANT,
        "MOST_OF_ADDRESS = 500",
        "MOST_OF_ADDRESS = 5_000",
        f"{_STORE}/test_store_grants.py"
        "::test_an_address_has_500_of_a_kind_and_leaves_half_to_visitors_with_runs",
    ),
    Mutant(
        _GRANT,
        "MARKED_EVERY_S = 60.0",
        "MARKED_EVERY_S = 0.0",
        f"{_KEYS}/test_grants.py::test_a_use_is_marked_at_most_once_a_minute",
    ),
    Mutant(
        _GRANT,
        "REVOKED_KEPT_S = 32 * SECONDS_PER_DAY",
        "REVOKED_KEPT_S = 3 * SECONDS_PER_DAY",
        f"{_KEYS}/test_grants.py::test_a_revoked_link_is_known_for_longer_than_a_cookie_lives",
    ),
    Mutant(
        "callbacks/guards/request_guards.py",
        "return origin is None or",
        "return True or",
        f"{_GUARDS}/test_request_guards.py::test_no_route_changes_anything_for_another_site",
    ),
    Mutant(
        "callbacks/guards/request_guards.py",
        "return _THIS_MACHINE if is_local else None",
        "return None",
        f"{_GUARDS}/test_request_guards.py"
        "::test_only_the_names_of_this_machine_are_answered_to_on_it",
    ),
    Mutant(
        "callbacks/guards/security_headers.py",
        "\"script-src 'self'\"",
        "\"script-src 'self' 'unsafe-eval'\"",
        f"{_GUARDS}/test_security_headers.py"
        "::test_no_answer_of_any_route_allows_evaluated_code_or_guessed_types",
    ),
    Mutant(
        "callbacks/guards/security_headers.py",
        '"Cache-Control", "private, no-cache"',
        '"Cache-Control", "public"',
        f"{_GUARDS}/test_known_requests.py::test_answers_to_a_visitor_are_kept_by_no_one_else",
    ),
    Mutant(
        "callbacks/guards/fair_requests.py",
        "len(here) < limits.of_network",
        "len(here) < 1_000",
        f"{_GUARDS}/test_fair_requests.py"
        "::test_an_address_has_its_share_of_answers_and_the_rest_waits",
    ),
    Mutant(
        "callbacks/guards/web_server.py",
        "return monotonic() - self.since_s > allowed_s",
        "return False",
        f"{_GUARDS}/test_web_server.py::test_a_request_that_drips_is_cut_off",
    ),
    Mutant(
        "melm_studio/reading/fork_server.py",
        "    _limit(resource.RLIMIT_AS, _address_space() + memory_mb * 2**20)\n",
        "",
        f"{_READER}::test_a_reader_takes_no_more_memory_than_it_may",
    ),
    Mutant(
        "melm_studio/reading/fork_server.py",
        "    _limit(resource.RLIMIT_CPU, seconds, grace=1)",
        "    pass",
        f"{_READER}::test_a_reader_that_does_not_end_is_ended_and_says_so",
    ),
    Mutant(
        "melm_studio/reading/fork_server.py",
        "    signal.alarm(seconds)\n",
        "",
        f"{_READER}::test_a_reader_that_does_not_end_is_ended_and_says_so",
    ),
    Mutant(
        "melm_studio/reading/fork_server.py",
        "    _limit(resource.RLIMIT_FSIZE, 0)\n",
        "",
        f"{_READER}::test_a_reader_has_neither_variables_nor_files_of_the_studio",
    ),
    Mutant(
        "melm_studio/reading/fork_server.py",
        "MOST_OPEN_FILES = 24",
        "MOST_OPEN_FILES = 2_400",
        f"{_READER}::test_a_reader_has_neither_variables_nor_files_of_the_studio",
    ),
    Mutant(
        "melm_studio/reading/file_reader.py",
        "env={name: os.environ[name] for name in _INHERITED if name in os.environ} | _OWN,",
        "env={**os.environ, **_OWN},",
        f"{_READER}::test_a_reader_has_neither_variables_nor_files_of_the_studio",
    ),
    Mutant(
        "melm_studio/reading/file_reader.py",
        "BoundedSemaphore(most) for",
        "BoundedSemaphore(most + 1) for",
        f"{_READER}::test_more_files_than_are_read_at_once_wait_and_then_are_told",
    ),
    Mutant(
        "melm_studio/reading/fork_server.py",
        "if reader.connection.fileno() in closed and",
        "if False and",
        f"{_READER}::test_a_reader_whose_answer_nobody_waits_for_is_killed",
    ),
    Mutant(
        "melm_studio/reading/readings.py",
        "each.is_long == is_long and each.asker.visitor not in here",
        "each.is_long == is_long",
        f"{_READINGS}::test_a_visitor_with_many_files_leaves_a_place_to_others",
    ),
    Mutant(
        "melm_studio/reading/readings.py",
        "len(self._patient) < MOST_PATIENT",
        "True",
        f"{_READINGS}::test_a_request_waits_in_its_thread_unless_others_do_or_one_of_its_visitor",
    ),
    Mutant(
        "melm_studio/reading/readings.py",
        "oldest.is_long = True",
        "pass",
        f"{_READINGS}::test_what_takes_long_leaves_its_place_and_goes_on",
    ),
    Mutant(
        "melm_studio/reading/readings.py",
        "is_gone = not reading.n_held and now - reading.asked_s > GONE_AFTER_S",
        "is_gone = False",
        f"{_READINGS}::test_what_nobody_asks_for_is_not_begun_or_is_ended",
    ),
    Mutant(
        "melm_studio/tables/readers/excel.py",
        "[^<>]*?",
        "[^>]*?",
        "tests/test_linear_patterns.py::test_every_pattern_takes_a_time_proportional_to_the_text",
    ),
    Mutant(
        "callbacks/guards/fair_requests.py",
        "if not client.is_prompt:",
        "if False:",
        f"{_GUARDS}/test_fair_requests.py::test_prompt_answers_have_threads_that_no_others_take",
    ),
    Mutant(
        "callbacks/guards/fair_requests.py",
        "BoundedSemaphore(not_prompt_threads(threads))",
        "BoundedSemaphore(threads)",
        f"{_GUARDS}/test_fair_requests.py::test_a_quarter_of_the_threads_is_left",
    ),
    Mutant(
        "callbacks/guards/web_server.py",
        "if not (is_untaken or (is_heavy and has_left(self.socket))):",
        "if not is_untaken:",
        f"{_GUARDS}/test_web_server.py"
        "::test_what_waits_for_a_thread_is_not_begun_once_its_client_has_left",
    ),
    Mutant(
        "melm_studio/reading/fork_server.py",
        "self._waker, *others):",
        "self._waker):",
        f"{_READER}::test_a_reader_has_no_access_to_the_channels_of_others",
    ),
    Mutant(
        "melm_studio/tables/read_apart.py",
        "or column_codes.max() >= len(distinct):",
        "or False:",
        f"{_TABLES}/test_read_apart.py::test_an_invalid_answer_of_a_reader_is_refused",
    ),
    Mutant(
        "melm_studio/tables/read_apart.py",
        "    channel.receive(len(_END))  # sent only by a reader that has not failed\n",
        "",
        f"{_TABLES}/test_read_apart.py::test_an_invalid_answer_of_a_reader_is_refused",
    ),
    Mutant(
        "melm_studio/tables/readers/arrow.py",
        "        batch.validate(full=True)\n",
        "",
        f"{_TABLES}/test_read_apart.py::test_a_file_that_is_made_to_hurt_gets_a_sentence",
    ),
    Mutant(
        "melm_studio/tables/readers/unpack.py",
        "MAX_UNPACKED = 512 * 2**20",
        "MAX_UNPACKED = 2_048 * 2**20",
        f"{_TABLES}/test_read_apart.py::test_a_file_that_is_made_to_hurt_gets_a_sentence",
    ),
    Mutant(
        "melm_studio/tables/readers/excel.py",
        "MAX_ROWS = 2**20",
        "MAX_ROWS = 2**24",
        f"{_TABLES}/test_read_apart.py::test_a_file_that_is_made_to_hurt_gets_a_sentence",
    ),
    Mutant(
        "melm_studio/tables/readers/excel.py",
        "MAX_STRINGS = 1_000_000",
        "MAX_STRINGS = 2_000_000",
        f"{_TABLES}/test_read_apart.py::test_a_file_that_is_made_to_hurt_gets_a_sentence",
    ),
    Mutant(
        "melm_studio/tables/records.py",
        "MAX_TEXT_BYTES = 128 * 2**20",
        "MAX_TEXT_BYTES = 512 * 2**20",
        f"{_TABLES}/test_read_apart.py::test_a_file_that_is_made_to_hurt_gets_a_sentence",
    ),
    Mutant(
        "melm_studio/tables/records.py",
        "MAX_CELLS = 50_000_000",
        "MAX_CELLS = 500_000_000",
        f"{_TABLES}/test_read_apart.py::test_a_file_that_is_made_to_hurt_gets_a_sentence",
    ),
    Mutant(
        "melm_studio/runs/store/folder_identity.py",
        "raise LostDataError(folder, loss)",
        "pass",
        f"{_STORE}/test_folder_identity.py"
        "::test_a_folder_that_has_lost_a_part_is_refused_in_a_sentence",
    ),
    Mutant(
        "melm_studio/runs/store/folder_identity.py",
        "raise WholeFolderError(folder)",
        "pass",
        f"{_STORE}/test_folder_identity.py::test_a_whole_studio_opens_and_does_not_begin_anew",
    ),
    Mutant(
        "melm_studio/runs/store/folder_identity.py",
        "(folder / name).rename(aside / name)",
        "pass",
        f"{_STORE}/test_folder_identity.py"
        "::test_what_is_left_is_moved_aside_where_a_studio_begins_anew",
    ),
    Mutant(
        "melm_studio/runs/store/folder_identity.py",
        "CHECK_S = 2.0",
        "CHECK_S = 20.0",
        f"{_STORE}/test_folder_identity.py"
        "::test_a_start_looks_through_a_database_for_two_seconds_at_most",
    ),
    Mutant(
        "melm_studio/runs/store/disk_cache.py",
        "raise StoreDamagedError from error",
        "raise",
        "tests/callbacks/routes/test_store_away.py"
        "::test_a_database_that_is_damaged_at_work_is_told_with_503_and_a_sentence",
    ),
    Mutant(
        "melm_studio/runs/store/disk_cache.py",
        "ORPHANED_AFTER_S = 86_400.0",
        "ORPHANED_AFTER_S = 80_000.0",
        f"{_STORE}/test_disk.py::test_a_file_of_no_run_stays_for_a_day",
    ),
    Mutant(
        "melm_studio/runs/store/quota.py",
        "TRUSTED_AFTER_S = 6 * 3_600.0",
        "TRUSTED_AFTER_S = 3 * 3_600.0",
        f"{_STORE}/test_eviction.py::test_nothing_is_deleted_within_six_hours_after_a_jump",
    ),
    Mutant(
        "melm_studio/runs/store/quota.py",
        "FULL_SHARE = 0.9",
        "FULL_SHARE = 0.95",
        f"{_STORE}/test_eviction.py::test_room_is_made_when_nine_tenths_are_taken",
    ),
    Mutant(
        "callbacks/routes/health.py",
        "MAX_SUPERVISOR_SILENCE_S = 5.0",
        "MAX_SUPERVISOR_SILENCE_S = 50.0",
        "tests/callbacks/routes/test_health.py::test_a_supervisor_may_be_silent_for_five_seconds",
    ),
    Mutant(
        "melm_studio/runs/records/run.py",
        "with suppress(*UNREADABLE):\n        record = RunRecord",
        "with suppress():\n        record = RunRecord",
        f"{_STORE}/test_other_versions.py::test_the_queue_goes_on_beside_a_run_that_cannot_be_read",
    ),
    Mutant(
        "melm_studio/runs/records/run.py",
        "        if not fields:\n            return to_json",
        "        if True:\n            return to_json",
        f"{_STORE}/test_other_versions.py"
        "::test_a_later_version_finds_its_run_as_it_was_but_for_the_removal",
    ),
    Mutant(
        "melm_studio/workers/backup.py",
        "shutil.rmtree(target, ignore_errors=True)",
        "pass",
        "tests/melm_studio/workers/test_backup.py"
        "::test_a_copy_that_does_not_fit_leaves_nothing_and_says_so",
    ),
    Mutant(
        "melm_studio/operator_tables/descriptions.py",
        'or not self._hides(info["name"])',
        "or True",
        "tests/melm_studio/operator_tables/test_descriptions.py"
        "::test_a_pattern_finds_no_hidden_file",
    ),
    Mutant(
        "callbacks/page.py",
        "except DiskFullError:",
        "except RecursionError:",
        "tests/callbacks/guards/test_error_answers.py"
        "::test_on_a_full_disk_a_new_visitor_gets_the_page",
    ),
    Mutant(
        "callbacks/guards/arriving_requests.py",
        "        if self.chunked:\n",
        "        if False:\n",
        f"{_GUARDS}/test_ambiguous_requests.py::test_no_request_is_found_in_the_body_of_another",
    ),
    Mutant(
        "callbacks/guards/arriving_requests.py",
        "MOST_HEADER_LINES = 500",
        "MOST_HEADER_LINES = 500_000",
        f"{_GUARDS}/test_ambiguous_requests.py::test_a_request_has_a_bounded_number_of_header_lines",
    ),
    Mutant(
        "callbacks/guards/compression.py",
        "return normpath(str(path))",
        "return str(path)",
        f"{_GUARDS}/test_compression.py::test_no_spelling_of_an_address_is_kept_beside_the_others",
    ),
    Mutant(
        "callbacks/guards/known_requests.py",
        '{"max": LARGEST_COUNT} | options',
        "options",
        "tests/callbacks/test_extremes.py::test_no_number_in_a_path_is_too_large",
    ),
    Mutant(
        "melm_studio/publication/talk.py",
        "if n_bytes > MOST_WAITING_BYTES or",
        "if",
        "tests/melm_studio/publication/test_talk.py::test_what_waits_for_viewers_is_bounded",
    ),
    Mutant(
        "melm_studio/workspace/workspace.py",
        "return record if record is not None and record.owner == self.owner else None",
        "return record",
        "tests/callbacks/test_isolation.py"
        "::test_no_route_tells_or_changes_anything_of_another_visitor",
    ),
    Mutant(
        "callbacks/guards/web_server.py",
        "connections_of_network: int = 64",
        "connections_of_network: int = 640",
        f"{_GUARDS}/test_web_server.py::test_an_address_has_64_connections_by_default",
    ),
    Mutant(
        "callbacks/guards/web_server.py",
        "headers_s: float = 10",
        "headers_s: float = 100",
        f"{_GUARDS}/test_web_server.py::test_a_request_has_10_s_for_its_headers_and_120_s_in_all_by_default",
    ),
    Mutant(
        "callbacks/guards/web_server.py",
        "request_s: float = 120",
        "request_s: float = 1_200",
        f"{_GUARDS}/test_web_server.py::test_a_request_has_10_s_for_its_headers_and_120_s_in_all_by_default",
    ),
    Mutant(
        "callbacks/guards/web_server.py",
        "elif len(staying) <= _MOST_TAKEN * self._limits.connections:",
        "elif True:",
        f"{_GUARDS}/test_web_server.py::test_sockets_that_drip_leave_others_their_connection_at_once",
    ),
    Mutant(
        "callbacks/guards/web_server.py",
        "return not (self.requests or self.total_outbufs_len or self.is_held)",
        "return True",
        f"{_GUARDS}/test_web_server.py::test_a_connection_that_has_a_request_at_work_never_gives_way",
    ),
    Mutant(
        "callbacks/guards/web_server.py",
        "self.network = network_of(str(addr[0]))",
        "self.network = str(addr[0])",
        f"{_GUARDS}/test_web_server.py::test_connections_of_one_network_of_ipv6_are_those_of_one_client",
    ),
    Mutant(
        "callbacks/guards/web_server.py",
        "if is_answered and self._let_past():",
        "if False:",
        f"{_GUARDS}/test_arriving_requests.py::test_the_sentence_reaches_a_client_that_sends_all_of_the_body_first",
    ),
    Mutant(
        "callbacks/guards/web_server.py",
        "            self.request.close()  #",
        "            pass  #",
        f"{_GUARDS}/test_arriving_requests.py::test_a_body_whose_client_has_left_counts_no_more",
    ),
    Mutant(
        "callbacks/guards/fair_requests.py",
        "MOST_HEAVY = 2\n",
        "MOST_HEAVY = 20\n",
        f"{_GUARDS}/test_web_server.py::test_two_requests_of_seconds_are_answered_at_a_time_by_default",
    ),
    Mutant(
        "callbacks/guards/fair_requests.py",
        "heavy_of_network: int = 1\n",
        "heavy_of_network: int = 2\n",
        f"{_GUARDS}/test_web_server.py::test_two_requests_of_seconds_are_answered_at_a_time_by_default",
    ),
    Mutant(
        "callbacks/guards/client_network.py",
        "_NETWORK_BITS = 64",
        "_NETWORK_BITS = 128",
        f"{_GUARDS}/test_client_network.py::test_who_shares_64_bits_of_ipv6_or_an_address_of_ipv4_is_one",
    ),
    Mutant(
        "callbacks/guards/arriving_requests.py",
        "_FILES_OF_NETWORK = 2",
        "_FILES_OF_NETWORK = 8",
        f"{_GUARDS}/test_arriving_requests.py::test_a_network_has_two_files_of_the_largest_size_on_their_way",
    ),
    Mutant(
        "callbacks/guards/arriving_requests.py",
        "_FILES = 8",
        "_FILES = 80",
        f"{_GUARDS}/test_arriving_requests.py::test_eight_files_of_the_largest_size_are_on_their_way_in_all",
    ),
    Mutant(
        "callbacks/guards/arriving_requests.py",
        "if n_content > body.most_bytes(max_upload_mb):",
        "if False:",
        f"{_GUARDS}/test_arriving_requests.py::test_a_length_above_the_limit_of_an_address_is_refused_before_a_byte_is_sent",
    ),
    Mutant(
        "callbacks/addresses.py",
        "JSON = 16 * _MB",
        "JSON = 160 * _MB",
        "tests/callbacks/test_addresses.py::test_the_limits_are_those_that_are_documented",
    ),
    Mutant(
        "callbacks/routes/tables.py",
        "body=Body.FILE, is_heavy=True",
        "body=Body.FILE",
        "tests/callbacks/test_addresses.py::test_a_file_is_taken_where_one_is_read_and_nowhere_else",
    ),
    Mutant(
        "callbacks/guards/request_guards.py",
        "if (request.content_length or 0) > n_bytes:",
        "if False:",
        f"{_GUARDS}/test_request_guards.py::test_a_length_above_the_limit_of_an_address_is_refused",
    ),
    Mutant(
        "callbacks/guards/known_requests.py",
        "and _are_taken(callback",
        "and callable(callback",
        "tests/callbacks/test_wrong_types.py::test_no_value_of_another_type_is_an_error_of_the_server",
    ),
    Mutant(
        "callbacks/guards/known_requests.py",
        "_MOST_CONTROLS, _MOST_CHANGED = 10_000, 2_000",
        "_MOST_CONTROLS, _MOST_CHANGED = 10**9, 10**9",
        f"{_GUARDS}/test_known_requests.py::test_a_call_of_more_controls_than_a_page_has_is_refused",
    ),
    Mutant(
        "melm_studio/workspace/project/manifest.py",
        "event.best_objective < math.inf",
        "event.best_objective <= math.inf",
        "tests/callbacks/routes/test_project_file.py::test_a_changed_history_is_refused_and_leaves_nothing",
    ),
    Mutant(
        "melm_studio/workspace/described_tables.py",
        "return _LEAST_BYTES + sum(map(sys.getsizeof, texts))",
        "return _LEAST_BYTES",
        "tests/melm_studio/workspace/test_described_tables.py::test_tables_are_remembered_up_to_a_number_of_bytes",
    ),
    Mutant(
        "callbacks/guards/known_requests.py",
        "except RecursionError:",
        "except KeyError:",
        f"{_GUARDS}/test_known_requests.py::test_values_nested_without_end_are_refused_with_a_sentence",
    ),
    Mutant(
        "melm_studio/publication/talk.py",
        "MOST_VIEWERS_HELD = 500",
        "MOST_VIEWERS_HELD = 5_000",
        "tests/callbacks/routes/talks/test_talks.py::test_the_viewers_of_all_talks_leave_half_of_the_connections_to_others",
    ),
    Mutant(
        "melm_studio/publication/talk.py",
        "return max(n_of_presenter, n_of_network) < most",
        "return n_of_network < most",
        "tests/callbacks/routes/talks/test_talks.py::test_talks_and_viewers_of_one_address_leave_places_to_those_of_others",
    ),
    Mutant(
        "melm_studio/publication/talk.py",
        "return max(n_of_presenter, n_of_network) < most",
        "return n_of_presenter < most",
        "tests/callbacks/routes/talks/test_talks.py::test_talks_and_viewers_of_one_address_leave_places_to_those_of_others",
    ),
    Mutant(
        "callbacks/guards/held_connections.py",
        "connection.setsockopt(socket.IPPROTO_TCP, option, UNACKNOWLEDGED_MS)",
        "pass",
        f"{_GUARDS}/test_held_connections.py::test_a_client_who_vanishes_without_a_word_is_given_up_after_half_a_minute",
    ),
    Mutant(
        "callbacks/routes/talks.py",
        "MOST_BYTES = 2 * 2**20",
        "MOST_BYTES = 20 * 2**20",
        "tests/callbacks/routes/talks/test_talks.py::test_a_picture_of_more_than_2_mb_is_not_shown",
    ),
    Mutant(
        "melm_studio/publication/printing/draw.py",
        "        gc.collect()\n",
        "        pass\n",
        "tests/melm_studio/publication/printing/test_draw.py"
        "::test_a_printed_figure_leaves_no_pixels_in_memory",
    ),
    Mutant(
        "melm_studio/configuration/memory.py",
        "MOST_ARENAS = 2\n",
        "MOST_ARENAS = 64\n",
        "tests/melm_studio/configuration/test_memory.py"
        "::test_threads_share_two_pools_of_free_memory",
    ),
    Mutant(
        "app.py",
        "    share_free_memory()\n",
        "",
        f"{_WEB_PROCESS}::{_SHARED_MEMORY}",
    ),
    Mutant(
        "app.py",
        "        leave_out_of_collections()\n",
        "",
        f"{_WEB_PROCESS}::{_SHARED_MEMORY}",
    ),
    Mutant(
        "app.py",
        "    faulthandler.enable()  # a crash of native code says where\n",
        "",
        f"{_WEB_PROCESS}::test_a_crash_of_native_code_says_where_in_the_log",
    ),
    Mutant(
        "deploy/melm-studio.service",
        "OOMPolicy=continue\n",
        "",
        "tests/test_deployment.py::test_a_run_that_takes_all_memory_does_not_end_the_unit",
    ),
    Mutant(
        "deploy/melm-studio.service",
        "StartLimitIntervalSec=0\n",
        "",
        "tests/test_deployment.py"
        "::test_a_unit_is_started_again_whatever_kills_it_and_however_often",
    ),
    Mutant(
        "melm_studio/workspace/known_runs.py",
        "MAX_NEW_BYTES = 2**28\n",
        "MAX_NEW_BYTES = 2**34\n",
        "tests/melm_studio/workspace/test_known_runs.py::test_new_rows_of_all_files_take_256_mb",
    ),
    Mutant(
        "melm_core/evaluation/estimator_audit.py",
        "answer = Answer.UNKNOWN if is_possible else verdict.answer\n",
        "answer = verdict.answer\n",
        "tests/melm_core/evaluation/test_estimator_audit.py"
        "::test_a_map_that_labels_may_have_made_is_never_a_plain_yes",
    ),
    Mutant(
        "melm_core/diagnostics/conformal.py",
        "        weights: FloatArray = 1.0 / sizes[unit.reshape(-1)]\n",
        "        weights: FloatArray = np.ones(len(self.y))\n",
        "tests/melm_core/diagnostics/test_conformal.py::test_rows_of_a_group_count_once",
    ),
    Mutant(
        "melm_core/density/set_limits.py",
        "    among = np.hstack([thinned, np.full((len(thinned), 1), background)])\n",
        "    among = thinned\n",
        "tests/melm_core/diagnostics/test_conformal.py"
        "::test_a_row_with_a_value_times_20_is_of_no_class",
    ),
    Mutant(
        "melm_studio/publication/plane_program.py",
        "if 2 * n_without > len(has_none):\n",
        "if n_without == len(has_none) + 1:\n",
        "tests/melm_studio/publication/test_program.py"
        "::test_no_classes_are_printed_where_most_rows_are_unlike",
    ),
    Mutant(
        "melm_studio/programs/audit_table.py",
        "reading = answered_options(answers, ReadOptions())\n",
        "reading = ReadOptions()\n",
        "tests/melm_studio/programs/test_audit_table.py::test_a_table_is_read_as_answered",
    ),
    Mutant(
        "melm_core/evaluation/study.py",
        "            rows = rows.in_groups(twins_of_rows(rows))\n",
        "            rows = rows.in_groups(None)\n",
        f"{_STUDY}::test_rows_that_are_equal_or_nearly_so_stay_in_one_fold",
    ),
    Mutant(
        "melm_core/evaluation/study.py",
        "            rows = rows.in_groups(twins_of_rows(rows))\n",
        "            rows = rows.in_groups(None)\n",
        f"{_REFITS}::test_the_share_of_noise_is_that_of_guessing",
    ),
    Mutant(
        "melm_core/melm/estimator.py",
        "return self.rule_, self.transform(X)",
        "return self.projected_classes_, self.transform(X)",
        "tests/melm_core/melm/test_estimator.py"
        "::test_rows_are_classified_by_the_class_densities_in_the_plane",
    ),
    Mutant(
        "melm_core/density/class_rules.py",
        "series = ClassSeries.of(rows, ",
        "series = ClassSeries.of(rule.classes.rows, ",
        "tests/melm_core/density/test_block_potentials.py"
        "::test_a_rule_of_blocks_is_that_of_the_rows_in_memory",
    ),
    Mutant(
        "melm_core/evaluation/refitting.py",
        "    except ValueError as error:\n",
        "    except KeyError as error:\n",
        "tests/melm_core/evaluation/test_plane_stability.py"
        "::test_a_resample_that_cannot_be_fitted_is_named_and_the_others_are_kept",
    ),
    Mutant(
        "melm_core/evaluation/refits.py",
        "    best = Frame.of(projection, X)",
        "    best = Frame.of(nearest_start(projection, refits.whole), X)",
        f"{_REFITS}"
        "::test_the_number_is_of_the_best_plane_of_a_fold_and_the_drawing_of_the_nearest_start",
    ),
    Mutant(
        "melm_core/evaluation/refits.py",
        "(of != (-2 if without is None else without))",
        "(of != -2)",
        f"{_REFITS}::test_each_fold_is_scored_by_the_rows_that_it_was_fitted_to",
    ),
    Mutant(
        "melm_core/evaluation/refits.py",
        "range(len(folds)), fits)",
        "range(len(folds)), ())",
        f"{_REFITS}::test_refits_that_were_stopped_and_resumed_are_those_of_one_go",
    ),
    Mutant(
        "melm_core/evaluation/refits.py",
        "            if fit.best is not fit.drawn:\n",
        "            if False:\n",
        f"{_REFITS}::test_no_number_depends_on_which_start_of_a_fold_is_drawn",
    ),
    Mutant(
        "melm_studio/analyses/refits.py",
        "    folds, folds_s = _folds_so_far(work) if has_places else ((), 0.0)\n",
        "    folds, folds_s = (), 0.0\n",
        "tests/melm_studio/analyses/test_refits.py::test_folds_that_are_done_are_not_fitted_again",
    ),
    Mutant(
        "melm_studio/planes/plane_scores.py",
        "    if given in TOLD_APART:\n",
        "    if False:\n",
        "tests/melm_studio/planes/test_held_out.py"
        "::test_there_is_no_tick_before_shuffles_and_random_predictions_are_a_no",
    ),
    Mutant(
        "melm_core/evaluation/refits.py",
        "SuspectLabels.of(self.log_mixtures,",
        "SuspectLabels.of(self.log_densities,",
        f"{_REFITS}::test_most_wrong_labels_of_classes_far_apart_are_suspect",
    ),
    Mutant(
        "melm_core/evaluation/refits.py",
        "            left_out = y if self.study.is_in_memory else None\n",
        "            left_out = None\n",
        f"{_REFITS}::test_a_projection_that_learns_nothing_knows_no_more_of_the_rows_of_its_fit",
    ),
    Mutant(
        "melm_core/evaluation/refits.py",
        "        rule = density.linear if is_linear else density\n",
        "        rule = density\n",
        f"{_REFITS}::test_each_fold_is_scored_by_the_rows_that_it_was_fitted_to",
    ),
    Mutant(
        "melm_core/evaluation/refits.py",
        "        return replace(mean, error=_OF_SHARED_ROWS * mean.error)\n",
        "        return mean\n",
        f"{_REFITS}::test_importance_is_of_calibrated_probabilities_and_errors_allow_for_rows_that"
        "_folds_share",
    ),
    Mutant(
        "melm_core/evaluation/refits.py",
        "        return None if groups is None else groups[self.held_out]\n",
        "        return None\n",
        f"{_REFITS}::test_groups_are_what_sets_and_regions_count",
    ),
    Mutant(
        "melm_core/evaluation/fold_frames.py",
        "            shrunk = (1.0 - share) * covariance + share * mean_variance",
        "            shrunk = covariance + 0.0 * share * mean_variance",
        f"{_REFITS}::test_a_frame_has_unit_spread_as_ledoit_and_wolf_expect_it_of_new_rows",
    ),
    Mutant(
        "melm_core/evaluation/fold_frames.py",
        "        turn = self.turn @ orthogonal_procrustes(placed[both], wanted[both])\n",
        "        turn = self.turn\n",
        f"{_REFITS}::test_planes_of_folds_that_are_turned_or_mirrored_place_rows_alike",
    ),
    Mutant(
        "melm_core/diagnostics/calibration.py",
        "fitted_temperature(log_densities[~in_fold], y[~in_fold])",
        "fitted_temperature(log_densities, y)",
        f"{_REFITS}::test_a_row_is_not_calibrated_by_its_fold",
    ),
    Mutant(
        "melm_core/density/regions.py",
        "groups[sample] == group, groups != group",
        "groups[sample] == group, groups != -1",
        f"{_REGIONS}::test_rows_of_a_group_are_left_out_of_their_own_density",
    ),
    Mutant(
        "melm_core/density/regions.py",
        "    beyond = (ranks[-1] + 1.0) * (1.0 - share) - 1.0 + _ROUNDING\n",
        "    beyond = ranks[-1] * (1.0 - share)\n",
        f"{_REGIONS}::test_a_share_that_so_few_rows_cannot_promise_has_no_region",
    ),
    Mutant(
        "melm_core/density/class_rules.py",
        "np.logaddexp(logs + np.log1p(-self.share), floor[:, None])",
        "logs + 0.0 * floor[:, None]",
        "tests/melm_core/density/test_class_rules.py"
        "::test_far_from_all_rows_no_class_is_likelier_and_none_is_impossible_anywhere",
    ),
    Mutant(
        "melm_core/diagnostics/feature_importance.py",
        "stats.false_discovery_control(tails[first])[of_feature] <= FALSE_DISCOVERIES",
        "tails[first][of_feature] <= stats.norm.sf(2.0)",
        "tests/melm_core/diagnostics/test_feature_importance.py"
        "::test_a_table_without_an_effect_has_none_that_is_seen_in_nine_of_ten_cases",
    ),
    Mutant(
        "callbacks/session.py",
        'request.cookies.get(self.get_cookie_name(app), "")',
        'request.cookies.get(super().get_cookie_name(app), "")',
        "tests/callbacks/test_session.py"
        "::test_over_https_no_cookie_that_another_host_can_set_makes_anybody_a_visitor",
    ),
    Mutant(
        "melm_studio/configuration/memory.py",
        "max(left - READERS * reader_mb, _LEAST_RUNS_MB)",
        "max(left, _LEAST_RUNS_MB)",
        "tests/melm_studio/configuration/test_memory.py"
        "::test_all_parts_together_take_less_than_a_machine_has",
    ),
    Mutant(
        "deploy/compose.yaml",
        " --maxmemory 2560mb",
        " --maxmemory 4096mb",
        "tests/test_deployment.py::test_the_server_of_the_compose_file_refuses_before_it_is_killed",
    ),
    Mutant(
        "deploy/compose.yaml",
        '    MELM_MAX_READER_MB: "480"\n',
        '    MELM_MAX_READER_MB: "2048"\n',
        "tests/test_deployment.py"
        "::test_what_the_services_of_the_compose_file_take_is_less_than_their_limits",
    ),
    Mutant(
        "melm_studio/configuration/limits.py",
        "    return share // 2\n",
        "    return share\n",
        f"{_STORE}/test_store_grants.py::test_no_grant_of_another_goes_when_an_address_is_full",
    ),
    Mutant(
        "callbacks/identity.py",
        "is_newcomer=is_newcomer(owner)",
        "is_newcomer=False",
        f"{_KEYS}/test_grants.py::test_whoever_has_many_cookies_leaves_tokens_to_visitors_with_runs",
    ),
    Mutant(
        "melm_studio/tables/records.py",
        "MAX_CELLS_OF_BYTE = 16",
        "MAX_CELLS_OF_BYTE = 1_600",
        f"{_TABLES}/test_read_apart.py::test_a_small_file_holds_so_many_equal_cells_and_no_more",
    ),
    Mutant(
        "callbacks/identity.py",
        "secrets.token_urlsafe(32)",
        "f\"{secrets.token_urlsafe(3)}{'A' * 39}\"",
        f"{_KEYS}/test_entropy.py::test_a_grant_has_256_random_bits",
    ),
    Mutant(
        "callbacks/identity.py",
        "401)\n    become(secrets.token_urlsafe(16))\n",
        "401)\n    become(secrets.token_urlsafe(2))\n",
        f"{_KEYS}/test_entropy.py::test_a_visitor_has_a_name_of_128_random_bits",
    ),
    Mutant(
        "callbacks/identity.py",
        "== _PAGE:\n        become(secrets.token_urlsafe(16))\n",
        "== _PAGE:\n        become(secrets.token_urlsafe(2))\n",
        f"{_KEYS}/test_entropy.py::test_a_browser_that_was_put_out_gets_a_name_of_128_random_bits",
    ),
    Mutant(
        "callbacks/routes/talks.py",
        "_ID_BYTES = 16",
        "_ID_BYTES = 4",
        f"{_KEYS}/test_entropy.py::test_a_talk_has_128_random_bits",
    ),
    Mutant(
        "callbacks/session.py",
        "Workspace(studio.store, owner(), studio.settings, studio.reader, address())",
        'Workspace(studio.store, owner(), studio.settings, studio.reader, "")',
        f"{_KEYS}/test_entropy.py::test_the_network_of_a_visitor_reaches_the_store_as_a_name",
    ),
    Mutant(
        "callbacks/identity.py",
        "guard is Guard.VIEWER and HEADER in",
        'guard is Guard.VIEWER and "X-No-Token" in',
        f"{_KEYS}/test_identity.py"
        "::test_no_token_that_is_not_valid_is_a_way_around_a_login_to_a_talk",
    ),
    Mutant(
        "melm_studio/programs/agents.py",
        '_UNSEEN = {"Cf", ',
        "_UNSEEN = {",
        "tests/melm_studio/programs/test_agents.py"
        "::test_names_of_a_table_are_told_as_data_without_what_nobody_sees_and_are_cut",
    ),
    Mutant(
        "melm_studio/programs/agents.py",
        '["extra"] = "forbid"',
        '["extra"] = "ignore"',
        "tests/melm_studio/programs/test_agents.py::test_an_argument_that_no_tool_has_is_refused",
    ),
    Mutant(
        "melm_studio/runs/store/open_store.py",
        "_opened(kind, settings, patience_s=LOCKED_S)",
        "_opened(kind, settings)",
        "tests/callbacks/routes/test_store_locked.py"
        "::test_what_would_write_is_refused_in_time_and_the_rest_goes_on",
    ),
    Mutant(
        "melm_studio/runs/store/redis.py",
        'redis.call("SET", KEYS[4], ARGV[3])\n',
        "",
        f"{_STORE}/test_every_fault.py::test_planes_whose_answer_is_lost_are_stored_once",
    ),
    Mutant(
        "melm_studio/runs/store/disk_cache.py",
        "            removed.append(file_path)\n",
        "            super().remove(file_path)\n",
        f"{_STORE}/test_disk.py::test_a_file_is_kept_where_what_replaces_it_fails",
    ),
    Mutant(
        "melm_studio/runs/store/disk_cache.py",
        "return isinstance(error, OSError) or name.startswith(_FAILED_SQLITE)",
        "return False",
        f"{_STORE}/test_disk.py::test_a_disk_that_fails_is_told",
    ),
    Mutant(
        "callbacks/guards/fair_requests.py",
        "if has_place or tasks[0][1] < late_s:",
        "if has_place:",
        f"{_GUARDS}/test_fair_requests.py"
        "::test_what_has_waited_too_long_is_told_so_and_takes_no_place",
    ),
    Mutant(
        "callbacks/guards/fair_requests.py",
        "    has_file = is_heavy and request.address.body is Body.FILE\n",
        "    has_file = False\n",
        f"{_GUARDS}/test_fair_requests.py"
        "::test_a_heavy_request_is_one_whose_address_is_and_that_is_not_refused",
    ),
    Mutant(
        "callbacks/guards/web_server.py",
        "request.error = BodyError(HTTPStatus.SERVICE_UNAVAILABLE, BUSY, REPEAT_AFTER_S)",
        "pass",
        f"{_GUARDS}/test_web_server.py::test_who_waits_too_long_is_told_to_ask_again",
    ),
    Mutant(
        "melm_studio/reading/readings.py",
        "            if outer.is_over or time.monotonic() > until_s:\n",
        "            if time.monotonic() > until_s:\n",
        f"{_READINGS}::test_what_nobody_asks_to_be_made_asks_for_no_file_either",
    ),
    Mutant(
        "melm_studio/reading/readings.py",
        "reading.error is not None or not self._most_kept:",
        "reading.error is not None:",
        f"{_READINGS}::test_what_changes_something_is_made_anew_whenever_it_is_asked_for",
    ),
    Mutant(
        "melm_studio/workspace/described_tables.py",
        'if source.kind == "upload":',
        "if not source.kind:",
        "tests/melm_studio/workspace/test_described_tables.py"
        "::test_requests_at_the_same_time_share_one_preparation",
    ),
    Mutant(
        "melm_studio/workspace/project/files.py",
        'workspace.made(("project", key), lambda: open_project(workspace, io.BytesIO(raw())))',
        "open_project(workspace, io.BytesIO(raw()))",
        "tests/callbacks/test_slow_files.py::test_projects_that_take_long_keep_no_thread_either",
    ),
    Mutant(
        "melm_studio/workspace/project/files.py",
        "partial(self._refuse_known, run), ",
        "",
        "tests/callbacks/routes/test_project_file.py"
        "::test_two_web_processes_that_open_a_project_at_once_store_it_once",
    ),
    Mutant(
        "callbacks/identity.py",
        "if guard is Guard.PROGRAM:",
        "if False:",
        "tests/callbacks/routes/api/test_api.py::test_nobody_can_ask_for_more_than_a_token",
    ),
    Mutant(
        "melm_studio/workers/pool.py",
        "if any(_is_attempt(child, record) for child in self._children):",
        "if False:",
        "tests/melm_studio/workers/test_pool.py"
        "::test_a_run_that_is_queued_again_before_it_begins_keeps_its_process",
    ),
    Mutant(
        "melm_studio/runs/store/shared_queue.py",
        "self._claimed_s.get(run_id, now)",
        "0.0",
        "tests/melm_studio/runs/store/test_shared_queue.py"
        "::test_a_run_that_was_claimed_just_now_is_not_queued_again_with_an_older_one",
    ),
    Mutant(
        "callbacks/guards/fair_requests.py",
        "client not in self._refused",
        "False",
        f"{_GUARDS}/test_fair_requests.py::test_whoever_was_refused_and_asks_again_is_next",
    ),
)
