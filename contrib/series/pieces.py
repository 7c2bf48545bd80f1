# SPDX-License-Identifier: GPL-2.0-or-later
"""What each patch of the series brings: files of its own, and hooks.

A piece is the name of a message in this directory, its files in
src/twowaytest (patterns), and the hooks that it has in other files there.
What no piece claims is the core. mkpatches takes the pieces out of the
sources again, the last one first: a hook says what goes with its piece.

    row FILE TEXT    the element of a table that holds TEXT, braces and all
    code FILE TEXT   the statement, declaration or definition whose first
                     line holds TEXT, with the comment that is its alone
    line FILE TEXT   the line that holds TEXT, and those that continue it
    rest FILE TEXT   the line that holds TEXT, and all that follows
    swap FILE TEXT   TEXT, for what follows (two tuple members)

TEXT has to be there exactly once when its turn comes.
"""

# What is true here and not in the other tree.
HERE = [
    ("swap", "twowaytest.8", '"twowaytest 0.10"', '"rt-tests"'),
    ("swap", "twowaytest.8",
     ".TP\n.I /usr/share/twowaytest/twowaytest.schema.json\n"
     "A JSON Schema that describes each member of the results in JSON.\n", ""),
    ("swap", "twowaytest.8",
     "The file\n.I twowaytest.schema.json\ndescribes each member; see "
     "FILES.\nThe main ones are:\n", "The main members are:\n"),
    ("swap", "twowaytest.8",
     "Compare two kernels: measure with the same options in each of them, "
     "then ask\nwhether the second is worse than the first:\n.PP\n.RS 4\n.EX\n"
     "twowaytest \\-\\-quiet \\-\\-mlockall \\-\\-priority=98 "
     "\\-\\-affinity \\e\n"
     "    \\-\\-duration=10m \\-\\-json=a.json \\-\\-dump=a.csv\n"
     "twowayreport \\-\\-gate a.json a.csv b.json b.csv\n.EE\n.RE\n.PP\n"
     "The exit status is 2 if it is worse, and 3 if that is undecided; see\n"
     ".BR twowayreport (1).\n.BR twowaytest\\-virtlab (1)\n"
     "compares two kernels in virtual machines, with the same figures in "
     "every run.\n.PP\n", ""),
    ("swap", "twowaytest.8",
     ",\n.BR twowayreport (1),\n.BR twowaytest\\-campaign (8),\n"
     ".BR twowaytest\\-virtlab (1)\n", "\n"),
    ("swap", "tw_report_json.c",
     " contrib/twowaytest.schema.json describes them.", ""),
]

MAN = ("man", ["twowaytest.8"], [])

CHECK = ("check", ["tw_check*", "tw_environ*", "tw_survey.*",
                   "tw_report_environ.c"], [
    ("row", "tw_config.c", '"check"'),
    ("line", "tw_config.h", "bool check;"),
    ("code", "tw_output.c", "int tw_output_check("),
    ("code", "tw_output.h", "int tw_output_check("),
    ("line", "tw_report.h", '#include "tw_check.h"'),
    ("line", "tw_report.h", '#include "tw_survey.h"'),
    ("line", "tw_report.h", "struct tw_survey *survey;"),
    ("code", "tw_report.h", "void tw_report_json_check("),
    ("code", "tw_report.h", "void tw_report_json_environ("),
    ("code", "tw_report.h", "void tw_report_check("),
    ("code", "tw_report_json.c", "if (report->survey)"),
    ("code", "tw_report_json.c", "void tw_report_json_check("),
    ("code", "twowaytest.c", "static int check("),
    ("line", "twowaytest.c", "struct tw_survey survey;"),
    ("code", "twowaytest.c", "if (config->json) {"),
    ("swap", "twowaytest.c", "config->check ? check(&report, &output) :\n"
     "\t\t\t\t measure(&report, &output);", "measure(&report, &output);"),
    ("swap", "twowaytest.c", "; --check: findings", ""),
])

LIMIT = ("limit", ["tw_limit.*", "tw_report_limit.c"], [
    ("row", "tw_config.c", '"limit"'),
    ("line", "tw_config.h", '#include "tw_limit.h"'),
    ("line", "tw_config.h", "struct tw_limit limits["),
    ("line", "tw_config.h", "int limit_count;"),
    ("swap", "tw_config.h", "--trace, --spike and --limit lack",
     "--trace and --spike lack"),
    ("swap", "tw_config_limit.c", "--trace, --spike and --limit.",
     "--trace and --spike."),
    ("code", "tw_config_limit.c", "static uint64_t expected_cycles("),
    ("code", "tw_config_limit.c", "static int check_percentiles("),
    ("code", "tw_config_limit.c", "for (i = 0; i < config->limit_count"),
    ("swap", "tw_config_limit.c", "\tint i;\n\n\tif (lacks_timer(",
     "\tif (lacks_timer("),
    ("swap", "tw_config_limit.c",
     "\tif (!err)\n\t\terr = check_percentiles(config, error);\n", ""),
    ("swap", "tw_option_limit.c", "--limit, --break-on", "--break-on"),
    ("line", "tw_option_limit.c", "#define AVERAGE"),
    ("line", "tw_option_limit.c", "#define MOST"),
    ("code", "tw_option_limit.c", "static bool parse_percent("),
    ("code", "tw_option_limit.c", "static bool parse_most("),
    ("code", "tw_option_limit.c", "static int find_about("),
    ("code", "tw_option_limit.c", "static bool parse_limit("),
    ("code", "tw_option_limit.c", "int tw_option_limit("),
    ("code", "tw_option.h", "int tw_option_limit("),
    ("line", "tw_output.c", "tw_report_limits(to"),
    ("swap", "tw_report.h", "--spike, -b, --limit:", "--spike, -b:"),
    ("code", "tw_report.h", "void tw_report_limits("),
    ("code", "tw_report.h", "bool tw_report_within_limits("),
    ("code", "tw_report.h", "void tw_report_json_limits("),
    ("line", "tw_report_json.c", "tw_report_json_limits(file"),
    ("line", "tw_session.c", "tw_limit_prepare(config->limits"),
    ("line", "tw_tally.h", "int mark_count;"),
    ("line", "tw_tally.h", "struct tw_mark marks["),
    ("code", "tw_tally.h", "struct tw_mark {"),
    ("line", "tw_tally.h", "#define TW_MARKS"),
    ("code", "tw_tally.h", "void tw_tally_mark("),
    ("swap", "tw_tally.h", "/*\n * As tw_stats_percentile(), and exact in "
     "relation to each limit that was set\n * with tw_tally_mark(). The "
     "client must not run.\n */",
     "/* As tw_stats_percentile(). The client must not run. */"),
    ("code", "tw_tally.c", "void tw_tally_mark("),
    ("code", "tw_tally.c", "static void fold_marks("),
    ("line", "tw_tally.c", "fold_marks(tally, values_ns);"),
    ("code", "tw_tally.c", "for (i = 0; i < tally->mark_count; i++)\n"
     "\t\ttally->marks[i].above"),
    ("swap", "tw_tally.c", "\tint id, i;\n\n\ttally->warmup",
     "\tint id;\n\n\ttally->warmup"),
    ("code", "tw_tally.c", "static void heed_mark("),
    ("swap", "tw_tally.c", "\tconst struct tw_stats *stats = "
     "&tally->stats[id];\n\tint i;\n\n\tif (!tw_stats_percentile(stats, "
     "percent, value_ns))\n\t\treturn false;\n\tfor (i = 0; i < "
     "tally->mark_count; i++)\n\t\tif (tally->marks[i].metric == id)\n"
     "\t\t\theed_mark(&tally->marks[i], stats->count, percent,\n"
     "\t\t\t\t  value_ns);\n\treturn true;",
     "\treturn tw_stats_percentile(&tally->stats[id], percent, value_ns);"),
    ("code", "tw_stats.h", "bool tw_stats_covers("),
    ("code", "tw_stats.c", "bool tw_stats_covers("),
    ("swap", "twowaytest.c",
     "session.broken || !tw_report_within_limits(report)",
     "session.broken"),
    ("swap", "twowaytest.c", "a limit, or -b", "-b"),
])

TRACE = ("trace", ["tw_event.*", "tw_playback.*", "tw_analysis*",
                   "tw_trace_own.*", "tw_trace_text.*"], [
    ("row", "tw_config.c", '"trace"'),
    ("row", "tw_config.c", '"trace-file"'),
    ("line", "tw_config.h", "bool trace;"),
    ("line", "tw_config.h", "const char *trace_events;"),
    ("line", "tw_config.h", "const char *trace_file;"),
    ("swap", "tw_config.h", "-b, --trace and --spike", "-b and --spike"),
    ("row", "tw_config_check.c", "config->trace_file"),
    ("swap", "tw_config_limit.c", "-b, --trace and --spike",
     "-b and --spike"),
    ("line", "tw_config_limit.c", "#define TRACE_FILE"),
    ("row", "tw_config_limit.c", "{ config->trace, "),
    ("row", "tw_config_limit.c", "{ config->trace_file, "),
    ("code", "tw_config_limit.c", "if (config->trace && "),
    ("swap", "tw_option_limit.c", "options --break-on and --trace.",
     "option --break-on."),
    ("code", "tw_option_limit.c", "int tw_option_trace("),
    ("code", "tw_option.h", "int tw_option_trace("),
    ("row", "tw_output.c", '"--trace-file="'),
    ("code", "tw_output.c", "static bool has_trace("),
    ("swap", "tw_output.c", "by us; and when: NULL for always.", "by us."),
    ("line", "tw_output.c", "bool (*when)("),
    ("code", "tw_output.c", "if (row->when &&"),
    ("line", "tw_output.h", "struct tw_file trace;"),
    ("code", "tw_report.h", "void tw_report_trace("),
    ("swap", "tw_report_break.c", ", and the analysis of our own trace", ""),
    ("line", "tw_report_break.c", '#include "tw_event.h"'),
    ("line", "tw_report_break.c", '#include "tw_time.h"'),
    ("swap", "tw_report_break.c",
     "#define LINES\t40\t\t/* of the time line, on the terminal */\n\n", ""),
    ("code", "tw_report_break.c", "static double to_us("),
    ("code", "tw_report_break.c", "static void print_span("),
    ("code", "tw_report_break.c", "static int64_t shortest_shown("),
    ("code", "tw_report_break.c", "static void print_time_line("),
    ("code", "tw_report_break.c", "static void print_analysis("),
    ("code", "tw_report_break.c", "static int print_marks("),
    ("code", "tw_report_break.c", "void tw_report_trace("),
    ("code", "tw_report_break.c", "static void json_span("),
    ("code", "tw_report_break.c", "static void json_spans("),
    ("code", "tw_report_break.c", "static void json_analysis("),
    ("code", "tw_report_break.c", "if (config->trace && "),
    ("code", "tw_report_break.c", "if (session->analysis)"),
    ("code", "tw_report_break.c", "if (session->trace_text)"),
    ("swap", "tw_report_break.c", "tracemark || report->config->trace;",
     "tracemark;"),
    ("swap", "tw_report_break.c",
     "\\\"marked\\\": %s, \\\"trace_file\\\": \",",
     "\\\"marked\\\": %s\","),
    ("code", "tw_report_break.c", "tw_json_string(file, session->trace_text"),
    ("code", "tw_report_break.c", "json_analysis(file, session->analysis);"),
    ("code", "tw_report_json.c", 'fprintf(file, "      \\"trace\\": ");'),
    ("code", "tw_report_json.c", "tw_json_string(file, !config->trace"),
    ("swap", "tw_report_json.c", '",\\n      \\"metrics\\": ["',
     '"      \\"metrics\\": ["'),
    ("code", "tw_report_text.c", "if (session->analysis && "),
    ("line", "tw_session.h", '#include "tw_analysis.h"'),
    ("line", "tw_session.h", "struct tw_trace trace;"),
    ("line", "tw_session.h", "char *trace_text;"),
    ("line", "tw_session.h", "struct tw_analysis *analysis;"),
    ("line", "tw_diagnose.c", "#include <stdlib.h>"),
    ("line", "tw_diagnose.c", '#include "tw_time.h"'),
    ("swap", "tw_diagnose.c", "The traces of a session, and the analysis "
     "of the cycle", "The trace of a session, and the cycle"),
    ("line", "tw_diagnose.c", "#define TRACE_NS"),
    ("line", "tw_diagnose.c", "#define TRACE_BEFORE_NS"),
    ("line", "tw_diagnose.c", "cpu_set_t *cpus"),
    ("swap", "tw_diagnose.c", "\tcpu_set_t used;\n", ""),
    ("code", "tw_diagnose.c", "CPU_OR(&used"),
    ("code", "tw_diagnose.c", "if (!err && config->trace)"),
    ("code", "tw_diagnose.c", "static int64_t trace_from_ns("),
    ("line", "tw_diagnose.c", "pid_t pids[TW_ROLES]"),
    ("line", "tw_diagnose.c", "/* From here on, it is the trace's clock"),
    ("line", "tw_diagnose.c", "pair->brk.ahead_ns +="),
    ("swap", "tw_session.h", "tw_trace_own.h", "tw_trace.h"),
    ("code", "twowaytest.c", "if (session->trace.removed)"),
    ("line", "tw_diagnose.c", "pids[TW_SERVER] ="),
    ("line", "tw_diagnose.c", "pids[TW_CLIENT] ="),
    ("code", "tw_diagnose.c", "if (!session->trace.dir[0] ||"),
    ("code", "tw_diagnose.c", "session->analysis = malloc("),
    ("code", "tw_diagnose.c", "if (session->analysis)"),
    ("line", "tw_diagnose.c", "tw_trace_close(&session->trace);"),
    ("line", "tw_diagnose.c", "free(session->trace_text);"),
    ("line", "tw_diagnose.c", "free(session->analysis);"),
    ("line", "tw_diagnose.c", "session->trace_text = NULL;"),
    ("line", "tw_diagnose.c", "session->analysis = NULL;"),
    ("swap", "tw_explain.c", "\"--%s: %s\", text->session->trace_fds["
     "TW_TRACE_USER].mark < 0 &&\n\t    text->config->tracemark ? "
     "\"tracemark\" : \"trace\",\n\t    text->session->trace_why",
     "\"--tracemark: %s\", text->session->trace_why"),
    ("swap", "tw_break.h", "/* The traces that a break may end: the user's, "
     "and our own. */", "/* The traces that a break may end: the user's. */"),
    ("line", "tw_break.h", "TW_TRACE_OWN,"),
])

BREAK = ("break", ["tw_break.*", "tw_trace.*", "tw_diagnose.c",
                   "tw_option_limit.c", "tw_report_break.c"], [
    ("row", "tw_config.c", '"breaktrace"'),
    ("row", "tw_config.c", '"break-on"'),
    ("row", "tw_config.c", '"tracemark"'),
    ("line", "tw_config.c", "config->break_on = TW_RESPONSE;"),
    ("line", "tw_config.h", "int64_t break_us;"),
    ("line", "tw_config.h", "enum tw_metric_id break_on;"),
    ("line", "tw_config.h", "bool break_on_given;"),
    ("line", "tw_config.h", "bool tracemark;"),
    ("swap", "tw_config.h", "Limits, break, traces and spikes.",
     "Spikes."),
    ("swap", "tw_config.h", "-b and --spike lack", "--spike lacks"),
    ("swap", "tw_config_limit.c", "Checks the options -b and --spike.",
     "Checks the option --spike."),
    ("row", "tw_config_limit.c", "{ config->break_on_given,"),
    ("row", "tw_config_limit.c", "{ config->tracemark,"),
    ("code", "tw_config_limit.c", "if (lacks_timer(config, "
     "config->break_on))"),
    ("swap", "tw_explain.c", "static void explain_trace(struct text *text)\n"
     "{\n\tsay(text, \"--tracemark: %s\", text->session->trace_why);\n}\n\n",
     ""),
    ("line", "tw_explain.c", "= explain_trace,"),
    ("code", "tw_option.h", "int tw_option_break_on("),
    ("line", "tw_output.c", "tw_report_break(to"),
    ("swap", "tw_report.h", "--spike, -b:", "--spike:"),
    ("code", "tw_report.h", "void tw_report_break("),
    ("code", "tw_report.h", "void tw_report_json_break("),
    ("code", "tw_report_json.c", "if (config->break_us)"),
    ("code", "tw_report_json.c", '\\"break_on\\": '),
    ("code", "tw_report_json.c", '\\"tracemark\\": '),
    ("line", "tw_report_json.c", "tw_report_json_break(file"),
    ("code", "tw_session.c", "pair->brk.limit_ns ="),
    ("code", "tw_session.c", "pair->brk.metric ="),
    ("code", "tw_session.c", "memcpy(pair->brk.traces"),
    ("swap", "tw_session.c", "settle_main, tw_session_open_traces,\n"
     "\t\ttw_session_open_load", "settle_main,\n\t\ttw_session_open_load"),
    ("code", "tw_session.c", "for (i = 0; i < TW_TRACES; i++)"),
    ("line", "tw_session.c", "tw_session_diagnose(session);"),
    ("line", "tw_session.c", "tw_session_close_traces(session);"),
    ("line", "tw_session.h", '#include "tw_trace.h"'),
    ("line", "tw_session.h", "struct tw_trace_fds trace_fds["),
    ("line", "tw_session.h", "char trace_why["),
    ("line", "tw_session.h", "const struct tw_break *broken;"),
    ("swap", "tw_session.h", "report, and looks into what broke the run.",
     "report."),
    ("swap", "tw_session.h", "/*\n * Internal: the traces of a session. "
     "Opening returns 0, or -errno and\n * session->failure and trace_why. "
     "Diagnose after client and server ended.\n */\n", ""),
    ("code", "tw_session.h", "int tw_session_open_traces("),
    ("code", "tw_session.h", "void tw_session_diagnose("),
    ("code", "tw_session.h", "void tw_session_close_traces("),
    ("line", "tw_side.h", '#include "tw_break.h"'),
    ("line", "tw_side.h", "struct tw_break brk;"),
    ("code", "tw_side.c", "static void record_or_break("),
    ("swap", "tw_side.c", "pair->brk.limit_ns ? record_or_break :\n"
     "\t\t\t  pair->ring", "pair->ring"),
    ("line", "tw_side.c", ".prompt = pair->brk.limit_ns,"),
    ("line", "tw_side.c", "*traces = pair->brk.traces;"),
    ("swap", "tw_side.c", "\tint i;\n\n\t/* Only the client marks and stops "
     "them. */\n", ""),
    ("code", "tw_side.c", "for (i = 0; client && i < TW_TRACES; i++)"),
    ("line", "twowaytest.c", "#define EXIT_EXCEEDED"),
    ("swap", "twowaytest.c", "session->pair->brk.broken ||\n\t\t    ", ""),
    ("code", "twowaytest.c", "else if (session.broken)"),
])

REFERENCE = ("reference", ["tw_report_trltp.c"], [
    ("row", "tw_config.c", '"trltp"'),
    ("row", "tw_config.c", '"trltp-log"'),
    ("line", "tw_config.h", "const char *trltp_log;"),
    ("row", "tw_config_check.c", "config->trltp_log"),
    ("code", "tw_option.h", "int tw_option_trltp("),
    ("code", "tw_option_load.c", "int tw_option_trltp("),
    ("swap", "tw_option_load.c", ", and --trltp.", "."),
    ("row", "tw_output.c", '"--trltp-log="'),
    ("line", "tw_output.h", "struct tw_file trltp;"),
    ("code", "tw_report.h", "void tw_report_trltp("),
    ("swap", "tw_session.c", " + (config->trltp_log ? TW_TRLTP_SIZE : 0)",
     ""),
    ("code", "tw_session.c", "if (config->trltp_log)"),
])

COMMAND = ("load-command", ["tw_load_command.c"], [
    ("line", "tw_load.c", "&tw_load_command,"),
    ("line", "tw_load.h", "tw_load_command;"),
    ("swap", "tw_load.h", "hackbench, command; NULL", "hackbench; NULL"),
    ("swap", "tw_config.c", 'hackbench[:GROUPS],\\n"\n'
     '\t  "command:SHELL-COMMAND"', 'hackbench[:GROUPS]"'),
])

HACKBENCH = ("load-hackbench", ["tw_load_hackbench.c", "tw_load_exec.*",
                             "tw_load_super.*", "tw_load_tree.*"], [
    ("row", "tw_config.c", '"load-args"'),
    ("line", "tw_load.c", "&tw_load_hackbench,"),
    ("line", "tw_load.h", "tw_load_hackbench;"),
    ("swap", "tw_load.h", "fft, hackbench; NULL", "fft; NULL"),
    ("swap", "tw_config.c", "fft[:WORKERS], hackbench[:GROUPS]",
     "fft[:WORKERS]"),
])

FFT = ("load-fft", ["tw_load_fft.c", "tw_fft.*"], [
    ("row", "tw_config.c", '"load"'),
    ("row", "tw_config.c", '"load-affinity"'),
    ("row", "tw_config.c", '"load-policy"'),
    ("row", "tw_config.c", '"load-priority"'),
    ("row", "tw_config.c", '"steps"'),
    ("line", "tw_load.c", "&tw_load_fft,"),
    ("line", "tw_load.h", "tw_load_fft;"),
    ("swap", "tw_load.h", "/* fft; NULL", "/* NULL"),
])

# In the order of the series, which begins with "core" and ends with
# "gitignore".
PIECES = [FFT, HACKBENCH, COMMAND, REFERENCE, BREAK, TRACE, LIMIT, CHECK, MAN]

# Lines for files that are there already, each before the line (or, with a
# leading "+", after it) that is its anchor.
INSERTS = {"core": ("Makefile", [
    ("\t  oslat.c\n", "\t  twowaytest.c \\\n"),
    ("+VPATH\t+= src/oslat:\n", "VPATH\t+= src/twowaytest:\n"),
    ("oslat: $(OBJDIR)/oslat.o $(OBJDIR)/librttest.a "
     "$(OBJDIR)/librttestnuma.a\n",
     """\
TWOWAYOBJS = $(patsubst src/twowaytest/%.c,$(OBJDIR)/%.o,\\
	     $(wildcard src/twowaytest/*.c))

$(TWOWAYOBJS): $(wildcard src/twowaytest/*.h)

twowaytest: $(TWOWAYOBJS) $(OBJDIR)/librttest.a $(OBJDIR)/librttestnuma.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(TWOWAYOBJS) $(LIBS) $(RTTESTLIB) \
$(RTTESTNUMA) -lm

"""),
]), "man": ("Makefile", [
    ("\t   src/oslat/oslat.8\n", "\t   src/twowaytest/twowaytest.8 \\\n"),
]), "gitignore": (".gitignore", [("+/oslat\n", "/twowaytest\n")])}
