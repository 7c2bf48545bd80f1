# SPDX-License-Identifier: GPL-2.0-or-later
"""The patches of the series, in order: which files each of them brings.

A patch is the name of its message in this directory and its files: by folder
in src/, names as "clock" for tw_clock.c and tw_clock.h, or whole ones as
"main.c"; * and ? are patterns, in folders too. Each file belongs to exactly
one patch. "gitignore" brings a line of .gitignore, and no file.

A mailing is the name of its cover letter and its patches. Patches are numbered
through; each mailing needs only those before it.
"""

BASE, FRAME, FACTS = "twlib/base", "twlib/frame", "twlib/check"
ENGINE, WHY = "twlib/load", "twlib/cause"
TOP = "twowaytest"
MEASURE, RUN, RESULT, LOAD, CAUSE, HOST = (
    f"{TOP}/{name}" for name in ("measure", "run", "result", "load", "cause",
                                 "host"))

PRIM = "primitivetest"
CORE, ROWS, PRIM_RESULT, BESIDE, PRIM_WHY = (
    f"{PRIM}/{name}" for name in ("core", "rows", "result", "beside", "cause"))

MAILINGS = [
    ("cover-letter", [
        ("loops", {BASE: "time clock timer",
                   MEASURE: "cycle wire io wait client server server_loop"}),
        ("system", {BASE: "system kfile cpus cgroup",
                    MEASURE: "transport transport_tcp"}),
        ("statistics", {BASE: "stats series", MEASURE: "metric tally"}),
        ("files", {BASE: "file file_where flow json_escape tw_json.h",
                   FRAME: "column status"}),
        ("frame", {FRAME: "option options option_cpus part run main tw_say.h "
                          "tw_output.h"}),
        ("settings", {FRAME: "tw_output.c option_clock",
                      RUN: "place config config_check config_pairs"}),
        ("sides", {BASE: "child", FACTS: "bypass", MEASURE: "tw_cost.h",
                   RUN: "side explain tw_session.h deadline columns"}),
        ("program", {FRAME: "output_live tw_say.c part_signals",
                     RUN: "tw_session.c session_memory session_text watch",
                     RESULT: "part_result", TOP: "twowaytest.c parts"}),
        ("display", {BASE: "tw_json.c",
                     FRAME: "live part_display part_latency", MEASURE: "ring",
                     RESULT: "part_dump"}),
        ("results", {RUN: "session_json",
                     FRAME: "part_json threads part_histogram histogram "
                            "part_percentiles"}),
    ]),
    ("cover-letter-2", [
        ("kinds", {BASE: "clock_tsc counter timer_fd",
                   MEASURE: "wait_kinds tw_cost.c",
                   RUN: "option_hint", RESULT: "part_cost"}),
        ("kept", {MEASURE: "excess", RESULT: "kept worst part_kept"}),
        ("limit", {RESULT: "limit part_limit"}),
        ("pairs", {RUN: "part_pairs", RESULT: "part_all"}),
        ("servers", {MEASURE: "servers order", RUN: "part_servers",
                     RESULT: "part_ramp"}),
        ("packets", {MEASURE: "stamps stamped stamped_sum stamped_loops"}),
        ("transports", {MEASURE: "address sockopt datagram "
                                 "transport_kinds transport_udp "
                                 "transport_unix transport_vsock",
                        RUN: "part_transport"}),
        ("stamps", {MEASURE: "stamps_cost",
                    RUN: "part_stamps stamps_report"}),
        ("oneway", {MEASURE: "oneway line tally_oneway",
                    RESULT: "part_oneway oneway_report"}),
        ("smi", {FACTS: "smi", RESULT: "part_smi"}),
        ("load-fft", {BASE: "fft", ENGINE: "load load_fft load_option",
                      LOAD: "part_load load_json load_report"}),
        ("load-commands", {ENGINE: "load_exec load_super load_tree "
                                   "load_hackbench load_command"}),
        ("throttle", {BASE: "guard", FACTS: "throttle", ENGINE: "runtime runtime_option",
                      LOAD: "part_throttle"}),
        ("reference", {RESULT: "part_trltp"}),
        ("timeline", {BASE: "lapse", RESULT: "part_timeline"}),
    ]),
    ("cover-letter-3", [
        ("events", {WHY: "event playback trace_text"}),
        ("analysis", {WHY: "analysis*"}),
        ("traces", {WHY: "trace trace_own trace_option trace_file"}),
        ("break", {CAUSE: "break part_break part_cause"}),
        ("trace", {CAUSE: "analysis* part_trace cause cause_line"}),
        ("environ", {FACTS: "environ*"}),
        ("check", {FACTS: "check* part_check report_environ", TOP: "check_params"}),
        ("others", {FACTS: "tasks busy others part_others"}),
        ("man", {TOP: "twowaytest.8"}),
        ("output", {TOP: "twowaytest-output.8"}),
    ]),
    ("cover-letter-4", [
        ("frames", {HOST: "frame frame_io keys keys_decode keys_json "
                          "keys_value hello"}),
        ("front", {HOST: "allow front front_greet front_greeting"}),
        ("terms", {HOST: "terms control ask host meet meet_greeting "
                         "meet_server"}),
        ("peer", {HOST: "limited peer tw_serve.h tw_privileges.h "
                        "tw_far_trace.h"}),
        ("far-cause", {HOST: "view traced tw_far_trace.c far_cause "
                             "tell_break tw_listen.h"}),
        ("served", {HOST: "tw_privileges.c ceilings tw_serve.c "
                          "serve_parse"}),
        ("listen", {HOST: "tw_listen.c part_server part_host"}),
        ("connect", {HOST: "rsh part_connect"}),
        ("hosts", {TOP: "twowaytest-hosts.8"}),
    ]),
    ("cover-letter-5", [
        ("prim-cases", {CORE: "test pt_config.h case record break pace "
                              "task"}),
        ("prim-run", {CORE: "pt_config.c select starter watch session "
                            "columns environ"}),
        ("prim-program", {CORE: "report report_json",
                          ROWS: "rows channel timer sync1 sync2 sync2_mutex",
                          PRIM: "primitivetest.c parts tests"}),
        ("prim-results", {CORE: "part_list",
                          PRIM_RESULT: "part_result part_dump part_worst "
                                       "part_limit",
                          BESIDE: "part_beside part_load part_runtime"}),
        ("prim-clocks", {ROWS: "alarm sleep clock linear bintime delay face "
                               "trap syscall"}),
        ("prim-answers", {ROWS: "sync3 spin queue message message_stream "
                                "signal signal_way signal_queue"}),
        ("prim-switches", {ROWS: "switch monopoly order yield preempt "
                                 "shuffle stream pipe unix thread alloc"}),
        ("prim-work", {ROWS: "work copy rhealstone"}),
        ("prim-trace", {PRIM_WHY: "spans part_trace part_cause"}),
        ("prim-man", {PRIM: "primitivetest.8"}),
        ("gitignore", {}),
    ]),
]

# Tables, and the headers that declare what is in them. A line that names a
# function or variable, or includes a header, comes with the patch that brings
# it; every such line must be complete.
TABLES = [
    f"{BASE}/tw_clock.c", f"{BASE}/tw_clock.h", f"{BASE}/tw_timer.c",
    f"{BASE}/tw_timer.h", f"{FRAME}/tw_run.h", f"{MEASURE}/tw_wait.c",
    f"{MEASURE}/tw_wait.h", f"{RESULT}/tw_part_result.h",
    f"{ENGINE}/tw_load.c", f"{ENGINE}/tw_load.h", f"{CAUSE}/tw_part_cause.h",
    f"{HOST}/tw_part_host.h",
    f"{TOP}/tw_parts.c", f"{PRIM}/pt_parts.c", f"{PRIM}/pt_tests.c",
    f"{ROWS}/pt_rows.h", f"{PRIM_RESULT}/pt_part_result.h",
    f"{BESIDE}/pt_part_beside.h",
]
