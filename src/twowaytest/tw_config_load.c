// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks the options of the load, and derives its settings. */
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "tw_config.h"
#include "tw_system.h"

int tw_config_workers(const struct tw_config *config, int step)
{
	if (!config->load)
		return 0;
	return config->steps > 1 ? step : config->load_count;
}

struct tw_load_params tw_config_load_params(const struct tw_config *config)
{
	struct tw_load_params params = {
		.command = config->load_command,
		.arguments = config->load_args,
		.policy = config->load_policy,
		.priority = (int)config->load_priority,
		/* Other people's programs see to that themselves. */
		.lock_memory = config->mlockall && config->load &&
			       config->load->own,
	};

	params.pinned = tw_config_cpus(config, TW_LOAD, 0, &params.cpus);
	return params;
}

bool tw_config_hogs_all(const struct tw_config *config)
{
	int most = tw_config_workers(config, (int)config->steps - 1);
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	if (!most || !config->load_priority)
		return false;
	if (tw_config_cpus(config, TW_LOAD, 0, &set) && CPU_COUNT(&set) < cpus)
		return false;
	/* A group, or a command, may be any number of processes. */
	return !config->load->own || most >= cpus;
}

static bool shares_cpu(const struct tw_config *config, enum tw_role a,
		       enum tw_role b)
{
	cpu_set_t cpus_a, cpus_b, both;

	tw_config_cpus(config, a, 0, &cpus_a);
	tw_config_cpus(config, b, 0, &cpus_b);
	CPU_AND(&both, &cpus_a, &cpus_b);
	return CPU_COUNT(&both);
}

bool tw_config_may_throttle(const struct tw_config *config, int workers)
{
	if (!tw_config_is_realtime(config->policy))
		return false;
	/* Sides that never sleep do it on their own. */
	if (config->wait == tw_wait_busy ||
	    (!config->interval_us && !config->sleep_us))
		return true;
	return workers && config->load_priority &&
	       (shares_cpu(config, TW_LOAD, TW_CLIENT) ||
		shares_cpu(config, TW_LOAD, TW_SERVER));
}

static void complete_load(struct tw_config *config)
{
	bool realtime = config->load && config->load->realtime &&
			tw_config_is_realtime(config->policy);

	if (config->load && !config->load_count_given)
		config->load_count = config->load->usual;
	if (!config->load_policy_given)
		config->load_policy = realtime ? SCHED_RR : SCHED_OTHER;
	if (tw_config_is_realtime(config->load_policy) &&
	    !config->load_priority)
		config->load_priority = 1;
}

static int check_priority(const struct tw_config *config, char *error)
{
	int priority = (int)config->load_priority;
	int main_priority = tw_config_priority(config, TW_MAIN);

	if (priority && !tw_config_is_realtime(config->load_policy))
		return tw_refuse(error, "--load-priority=%d: policy %s has no priorities; give --load-policy=fifo or rr too",
				 priority,
				 tw_system_policy_name(config->load_policy));
	if (priority && !config->priority)
		return tw_refuse(error, "--load-policy=%s: the load would outrank client and server, which are not real-time; give --priority too",
				 tw_system_policy_name(config->load_policy));
	if (priority && priority >= main_priority)
		return tw_refuse(error, "--load-priority=%d: allowed is less than the parent process's priority, %d, which must end the load; give a higher --priority, or --load-policy=other",
				 priority, main_priority);
	return 0;
}

/* Options of a load, and no load. */
static int check_no_load(const struct tw_config *config, char *error)
{
	const char *option = NULL;

	if (config->load_policy_given)
		option = "policy";
	else if (config->load_priority)
		option = "priority";
	else if (config->role_given[TW_LOAD])
		option = "affinity";
	if (config->load || !option)
		return 0;
	return tw_refuse(error, "--load-%s: there is no load; give --load too",
			 option);
}

static int check_ramp(const struct tw_config *config, char *error)
{
	if (config->steps == 1)
		return 0;
	if (!config->load)
		return tw_refuse(error, "--steps=%lld: a ramp needs a load; give --load too",
				 (long long)config->steps);
	if (config->load_count_given)
		return tw_refuse(error, "--load=%s:%d: contradicts --steps=%lld, which sets the number of %s",
				 config->load->name, config->load_count,
				 (long long)config->steps,
				 config->load->many);
	if (!config->loops && !config->duration_s)
		return tw_refuse(error, "--steps=%lld: a step must have an end; give --loops or --duration",
				 (long long)config->steps);
	return 0;
}

int tw_config_check_load(struct tw_config *config, char error[TW_ERROR_MAX])
{
	int err;

	complete_load(config);
	if (config->load_args &&
	    !(config->load && config->load->takes_arguments))
		return tw_refuse(error, "--load-args=%.100s: only --load=hackbench takes them",
				 config->load_args);
	err = check_no_load(config, error);
	if (!err)
		err = check_priority(config, error);
	return err ? err : check_ramp(config, error);
}
