// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clock: what a clock costs, and how finely it counts. Its cost is taken by the
 * clock of the timestamps: a coarse clock does not see its own.
 */
#include <errno.h>

#include "core/pt_record.h"
#include "core/pt_report.h"
#include "rows/pt_face.h"
#include "rows/pt_linear.h"
#include "rows/pt_rows.h"

#define READINGS	100
#define FEW		1000	/* readings: more are a clock of ticks */
#define TICKS		20	/* trials that await such a clock's step */
#define MOST		INT64_C(100000000)

/* The first reading that is not @from_ns; @from_ns: it stands still. */
static int64_t await_step(const struct pt_face *face, int64_t from_ns,
			  int64_t *readings)
{
	int64_t now_ns = from_ns;

	for (*readings = 0; now_ns == from_ns && *readings < MOST;
	     ++*readings)
		now_ns = pt_face_read(face);
	return now_ns;
}

static void read_many(const struct pt_face *face)
{
	int i;

	for (i = 0; i < READINGS; i++)
		pt_face_read(face);
}

static int run_face(struct pt_task *task)
{
	const struct pt_face *face = pt_room(task);
	struct pt_trial trial = { .t_ns[0] = 0 };
	int64_t readings, ticks = 0;

	while (pt_more(task)) {
		trial.t_ns[0] = pt_now(task);
		read_many(face);
		trial.t_ns[1] = pt_now(task);
		trial.t_ns[2] = pt_face_read(face);
		trial.t_ns[3] = pt_face_read(face);
		trial.t_ns[4] = trial.t_ns[3];
		if (trial.t_ns[3] == trial.t_ns[2] && ticks < TICKS) {
			trial.t_ns[4] = await_step(face, trial.t_ns[2],
						   &readings);
			if (trial.t_ns[4] == trial.t_ns[2])
				return pt_failed(task, "a clock stands still",
						 -ETIME);
			ticks += readings > FEW;
		}
		pt_record(task, &trial);
		pt_rest(task);
	}
	return 0;
}

static int run(struct pt_task *task)
{
	return task->in->choice.kind->ops ? run_face(task) :
					    pt_linear_run(task);
}

static int64_t step_ps(const struct pt_case *c, const struct pt_trial *now,
		       const struct pt_trial *before)
{
	int64_t step_ns = now->t_ns[4] - now->t_ns[2];

	(void)c;
	(void)before;
	return step_ns ? step_ns * PT_PS_PER_NS : PT_NO_VALUE;
}

static int open_face(struct pt_case *c)
{
	return c->choice.kind->ops ? pt_face_open(c->room, c) : 0;
}

static void verify(struct pt_case *c)
{
	const struct pt_face *face = c->room;
	struct pt_sum cost, step, difference;

	if (!c->choice.kind->ops) {
		pt_linear_verify(c);
		return;
	}
	/* What is finer than a reading takes cannot be seen. */
	if (pt_sum_in(c, "cost", &cost) && pt_sum_in(c, "resolution", &step))
		pt_verdict(c, false, "resolution: least step %.0f ns, with readings of %.1f ns; the system tells %lld ns",
			   step.min_ns, cost.min_ns,
			   (long long)face->told_ns);
	if (pt_sum_in(c, "difference", &difference) &&
	    difference.min_ns < 0 && !face->ops->settable)
		pt_verdict(c, true, "the clock went back by %.0f ns",
			   -difference.min_ns);
}

static const struct pt_metric metrics[] = {
	{ .token = "cost", .label = "A reading, of 100 readings", .from = 0,
	  .to = 1, .per = READINGS, .rate = "readings",
	  .span = { PT_TO_RUN, 0, 0 } },
	{ .token = "difference", .label = "Of two readings, by itself",
	  .from = 2, .to = 3 },
	{ .token = "resolution", .label = "Step when it changes",
	  .value_ps = step_ps },
	{ .token = NULL }
};

static const struct pt_kind kinds[] = {
	{ "gettimeofday", .ops = &pt_face_gettimeofday },
	{ "realtime", .ops = &pt_face_realtime },
	{ "monotonic", .ops = &pt_face_monotonic },
	{ "monotonic_raw", .ops = &pt_face_monotonic_raw },
	{ "boottime", .ops = &pt_face_boottime },
	{ "tai", .ops = &pt_face_tai },
	{ "realtime_coarse", .ops = &pt_face_realtime_coarse },
	{ "monotonic_coarse", .ops = &pt_face_monotonic_coarse },
	{ "process_cpu", .ops = &pt_face_process_cpu },
	{ "thread_cpu", .ops = &pt_face_thread_cpu },
	{ "realtime_alarm", .ops = &pt_face_realtime_alarm, .optional = true },
	{ "boottime_alarm", .ops = &pt_face_boottime_alarm, .optional = true },
	{ "times", .ops = &pt_face_times },
	{ "tsc", .ops = &pt_face_tsc, .optional = true },
	{ "linear", .metrics = pt_linear_metrics },
	{ .name = NULL }
};

static const struct pt_role roles[] = {
	{ "high", PT_HIGH, false, run },
	{ .name = NULL }
};

const struct pt_test pt_clock = {
	.name = "clock",
	.about = "cost and resolution of a clock; linear: what it adds",
	.groups = PT_NOTES | PT_OVERHEADS,
	.flags = PT_ALONE | PT_SPINS,
	.kinds = kinds, .metrics = metrics, .roles = roles,
	.trials = 10000, .room = sizeof(struct pt_face),
	.open = open_face, .verify = verify,
};
