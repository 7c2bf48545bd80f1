// SPDX-License-Identifier: GPL-2.0-or-later
/* What the session adds to the text. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/tw_cpus.h"
#include "base/tw_time.h"
#include "run/tw_session.h"

static void print_settings(FILE *file, const char *before,
			   const struct tw_settings *settings)
{
	char list[512];

	fprintf(file, "%sCPU %s, policy %s, priority %d", before,
		tw_cpus_format(&settings->cpus, list, sizeof(list)),
		tw_system_policy_name(settings->policy), settings->priority);
}

/* " of pair 2", if there are several. */
static const char *of_pair(const struct tw_session *session,
			   const struct tw_pair *pair, char text[32])
{
	*text = '\0';
	if (session->config->pairs.count > 1)
		snprintf(text, 32, " of pair %u", pair->number);
	return text;
}

/* By somebody else, or by the kernel when a CPU was taken away. */
static void print_change(FILE *file, enum tw_role role, const char *of,
			 const struct tw_settings *begin,
			 const struct tw_settings *end)
{
	if (!tw_system_changed(begin, end))
		return;
	fprintf(file, "# Changed while it ran: %s%s, ", tw_role_titles[role],
		of);
	print_settings(file, "from ", begin);
	print_settings(file, " to ", end);
	fprintf(file, "\n");
}

static void print_changes(FILE *file, const struct tw_session *session)
{
	const struct tw_pair *pair;
	const struct tw_side *side;
	unsigned int k;
	char of[32];
	int role;

	print_change(file, TW_MAIN, "", &session->main_settings,
		     &session->main_left);
	for (k = 0; (pair = tw_session_pair(session, k)); k++)
		for (role = TW_SERVER; role <= TW_CLIENT; role++) {
			/* One server for all is told of once. */
			if (role == TW_SERVER && pair->server != k)
				continue;
			side = &pair->side[role];
			print_change(file, role, of_pair(session, pair, of),
				     &side->settings, &side->left);
		}
}

static void print_stops(FILE *file, const struct tw_session *session)
{
	const struct tw_pair *pair;
	unsigned int k;
	char of[32];

	for (k = 0; (pair = tw_session_pair(session, k)); k++) {
		int client = pair->side[TW_CLIENT].child.stops;
		int server = pair->side[TW_SERVER].child.stops;

		if (client || server)
			fprintf(file, "# Stopped by a signal, and continued: client %d, server %d times%s; that time is in the results\n",
				client, server, of_pair(session, pair, of));
	}
}

double tw_session_drift_ppm(const struct tw_session *session)
{
	if (session->drift_over_ns <= 0)
		return 0;
	return (double)session->drift_ns * 1e6 /
	       (double)session->drift_over_ns;
}

static void print_drift(FILE *file, const struct tw_session *session)
{
	fprintf(file, "# Clock %s: %+.3f ppm against the kernel's, %+.3f us in %.1f s\n",
		session->config->clock, tw_session_drift_ppm(session),
		(double)session->drift_ns / (double)TW_NS_PER_US,
		(double)session->drift_over_ns / (double)TW_NS_PER_S);
}

/* Of all pairs, by the kernel's count; loss that the figures do not show. */
static void print_retransmitted(FILE *file, const struct tw_session *session)
{
	int64_t count[TW_ROLES] = { 0 };
	const struct tw_pair *pair;
	unsigned int k;
	int role;

	for (k = 0; (pair = tw_session_pair(session, k)); k++)
		for (role = TW_SERVER; role <= TW_CLIENT; role++)
			if (pair->side[role].retransmitted > 0)
				count[role] += pair->side[role].retransmitted;
	if (count[TW_CLIENT] || count[TW_SERVER])
		fprintf(file, "# Retransmitted: client %" PRId64 ", server %" PRId64 " segments\n",
			count[TW_CLIENT], count[TW_SERVER]);
}

void tw_session_remarks(FILE *file, const struct tw_run *run)
{
	const struct tw_session *session = tw_session(run);
	uint64_t missed = tw_pairs_counts(session->pairs).missed;

	/* A histogram has it among its own lines. */
	if (missed && !run->window_us)
		fprintf(file, "# Missed: %" PRIu64 "\n", missed);
	print_stops(file, session);
	print_retransmitted(file, session);
	if (session->has_drift)
		print_drift(file, session);
	print_changes(file, session);
	/* The transport tells of datagrams itself. */
	if (session->strangers && !tw_session_first(session)->datagrams)
		fprintf(file, "# Unexpected connections refused: %" PRIu64 "\n",
			session->strangers);
}
