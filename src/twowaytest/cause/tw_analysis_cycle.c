// SPDX-License-Identifier: GPL-2.0-or-later
/* The phase that took too long, as a stretch that is analysed. */
#include "cause/tw_analysis_phase.h"

void tw_analyse(struct tw_analysis *analysis, const char *text,
		const struct tw_break *brk,
		const struct tw_metric_params *params,
		const pid_t pids[TW_ROLES], bool may_throttle,
		enum tw_bypass bypass)
{
	const struct tw_cycle *cycle = &brk->kept.cycle;
	/* Who waits, for whom (0: a timer), from when to when. */
	const struct {
		enum tw_role side;
		pid_t peer;
		int64_t begin_ns, end_ns, due_ns;
		enum tw_blame waits;
	} phases[TW_METRICS] = {
		[TW_WAKEUP] = { TW_CLIENT, 0, cycle->planned_ns, cycle->t0_ns,
				cycle->planned_ns, TW_UNKNOWN },
		[TW_SEND] = { TW_SERVER, pids[TW_CLIENT], cycle->t0_ns,
			      cycle->t1_ns, 0, TW_UNKNOWN },
		[TW_SLEEP] = { TW_SERVER, 0, cycle->t1_ns, cycle->t2_ns,
			       cycle->t1_ns + params->sleep_ns, TW_UNKNOWN },
		[TW_RECEIVE] = { TW_CLIENT, pids[TW_SERVER], cycle->t2_ns,
				 cycle->t3_ns, 0, TW_UNKNOWN },
		/* All that this host sees of it, and of the sleep. */
		[TW_NETWORK] = { TW_CLIENT, 0, cycle->t0_ns, cycle->t3_ns, 0,
				 TW_AWAITS },
	};
	enum tw_metric_id id = tw_analysis_phase(brk, params);
	const struct tw_stretch stretch = {
		.phase = id, .side = phases[id].side,
		.names = tw_analysis_names(id, phases[id].side),
		.part = id == TW_NETWORK ? "from t0 to t3" : NULL,
		.whole_ns = id == TW_NETWORK ?
			    tw_metrics[id].value_ns(cycle, params) : 0,
		.mean_ns = brk->means_ns[id],
		.side_pid = pids[phases[id].side],
		.peer_pid = phases[id].peer,
		.waits = phases[id].waits,
		.begin_ns = phases[id].begin_ns - brk->ahead_ns,
		.end_ns = phases[id].end_ns - brk->ahead_ns,
		.due_ns = phases[id].due_ns - brk->ahead_ns,
		.throttled = brk->kept.throttled,
		.may_throttle = may_throttle, .bypass = bypass,
	};

	/* Begin, end and cause are all there. */
	if (params->two_clocks && id == TW_SLEEP) {
		*analysis = (struct tw_analysis) {
			.phase = id, .side = TW_SERVER,
			.names = stretch.names, .waking_ns = -1,
			.running_ns = -1,
			.lacks = "the delay was on the server's host, and the trace shows the client's host only",
		};
		return;
	}
	tw_analyse_stretch(analysis, text, &stretch);
}
