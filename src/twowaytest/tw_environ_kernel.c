// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the kernel's preemption model and boot parameters. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rt-utils.h"
#include "tw_environ.h"
#include "tw_environ_list.h"
#include "tw_kfile.h"

static void copy_text(char *to, size_t size, const char *from, size_t len)
{
	if (len >= size)
		len = size - 1;
	memcpy(to, from, len);
	to[len] = '\0';
}

static bool has_line(const char *text, const char *line)
{
	size_t len = strlen(line);
	const char *at;

	for (at = text; (at = strstr(at, line)); at += len)
		if ((at == text || at[-1] == '\n') &&
		    (!at[len] || at[len] == '\n'))
			return true;
	return false;
}

/* The most telling first, as PREEMPT begins them all. */
static const struct {
	const char *in_version;
	const char *in_config;
	const char *name;
} models[] = {
	{ " PREEMPT_RT", "CONFIG_PREEMPT_RT=y", "PREEMPT_RT" },
	{ " PREEMPT RT", "CONFIG_PREEMPT_RT_FULL=y", "PREEMPT_RT" },
	{ " PREEMPT_DYNAMIC", "CONFIG_PREEMPT_DYNAMIC=y", "PREEMPT_DYNAMIC" },
	{ " PREEMPT", "CONFIG_PREEMPT=y", "PREEMPT" },
	{ NULL, "CONFIG_PREEMPT_VOLUNTARY=y", "PREEMPT_VOLUNTARY" },
	{ NULL, "CONFIG_PREEMPT_NONE=y", "PREEMPT_NONE" },
};

static void set_model(struct tw_environ *env, const char *name,
		      const char *file)
{
	snprintf(env->preemption, sizeof(env->preemption), "%s", name);
	env->preemption_file = file;
}

static void read_model(struct tw_environ *env, const char *root,
		       const char *config)
{
	char version[1024];
	bool known = tw_kfile_text(root, version, sizeof(version),
				   "/proc/version") && *version;
	size_t i;

	if (env->realtime == 1) {
		set_model(env, "PREEMPT_RT", "/sys/kernel/realtime");
		return;
	}
	for (i = 0; known && i < ARRAY_SIZE(models); i++) {
		if (!models[i].in_version ||
		    !strstr(version, models[i].in_version))
			continue;
		set_model(env, models[i].name, "/proc/version");
		return;
	}
	for (i = 0; config && i < ARRAY_SIZE(models); i++) {
		/* What the version would show, it denies. */
		if ((known && models[i].in_version) ||
		    !has_line(config, models[i].in_config))
			continue;
		set_model(env, models[i].name, "/boot/config-*");
		return;
	}
	if (known)
		set_model(env, "PREEMPT_NONE or PREEMPT_VOLUNTARY",
			  "/proc/version");
}

/* What a kernel starts with that was told nothing else. */
static const struct {
	const char *in_config;
	const char *mode;
} modes[] = {
	{ "CONFIG_PREEMPT_LAZY=y", "lazy" },
	{ "CONFIG_PREEMPT=y", "full" },
	{ "CONFIG_PREEMPT_VOLUNTARY=y", "voluntary" },
	{ "CONFIG_PREEMPT_NONE=y", "none" },
};

static void read_mode(struct tw_environ *env, const char *root,
		      const char *config)
{
	const char *open, *close;
	char line[256];
	size_t i;

	if (config)
		env->lazy = has_line(config, "CONFIG_PREEMPT_LAZY=y");
	if (tw_kfile_text(root, line, sizeof(line),
			  "/sys/kernel/debug/sched/preempt")) {
		env->lazy = strstr(line, "lazy") != NULL;
		open = strchr(line, '(');
		close = open ? strchr(open, ')') : NULL;
		if (close) {
			copy_text(env->preempt_mode,
				  sizeof(env->preempt_mode), open + 1,
				  close - open - 1);
			return;
		}
	}
	/* Others do not listen to it. */
	if (*env->preempt && (!strcmp(env->preemption, "PREEMPT_DYNAMIC") ||
			      (config && has_line(config,
						  "CONFIG_PREEMPT_DYNAMIC=y")))) {
		strcpy(env->preempt_mode, env->preempt);
		return;
	}
	for (i = 0; config && i < ARRAY_SIZE(modes); i++) {
		if (!has_line(config, modes[i].in_config))
			continue;
		strcpy(env->preempt_mode, modes[i].mode);
		return;
	}
}

static void read_preemption(struct tw_environ *env, const char *root)
{
	char path[TW_FACT_MAX + 16];
	int64_t number;
	char *config = NULL;

	env->realtime = 0;	/* other kernels have no such file */
	if (tw_kfile_number(root, &number, "/sys/kernel/realtime"))
		env->realtime = number == 1;
	if (*env->release) {
		snprintf(path, sizeof(path), "/boot/config-%s", env->release);
		config = tw_kfile_load(root, path);
	}
	read_model(env, root, config);
	read_mode(env, root, config);
	free(config);
}

/* The kernel takes a dash for an underscore. */
static bool same_name(const char *word, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((word[i] == '-' ? '_' : word[i]) != name[i])
			return false;
	return true;
}

static size_t word_length(const char *word)
{
	bool quoted = false;
	size_t len;

	for (len = 0; word[len]; len++) {
		if (word[len] == '"')
			quoted = !quoted;
		else if (isspace((unsigned char)word[len]) && !quoted)
			break;
	}
	return len;
}

/* The last @name of the command line: its value to @value, or "". */
static bool boot_param(const char *line, const char *name, char *value,
		       size_t size)
{
	size_t name_len = strlen(name), len;
	bool found = false;
	const char *at;

	value[0] = '\0';
	for (at = line; *at; at += len) {
		at += strspn(at, " \t\n");
		len = word_length(at);
		if (len == 2 && !strncmp(at, "--", 2))
			break;	/* what follows is for init */
		if (len < name_len || !same_name(at, name, name_len))
			continue;
		if (len == name_len) {
			value[0] = '\0';
			found = true;
		} else if (at[name_len] == '=') {
			copy_text(value, size, at + name_len + 1,
				  len - name_len - 1);
			found = true;
		}
	}
	return found;
}

/* "managed_irq,domain,2-3": with no flag, domain is meant. */
static const char *isolated_list(const char *value)
{
	bool domain = false, flags = false;
	size_t len;

	while (isalpha((unsigned char)*value) && *value != 'N') {
		len = strcspn(value, ",");
		if (len == strlen("domain") && !strncmp(value, "domain", len))
			domain = true;
		flags = true;
		value += len;
		if (*value)
			value++;
	}
	return domain || !flags ? value : "";
}

/*
 * The CPUs that the kernel says are isolated: at boot, or by a cpuset
 * partition. Else, if @booted, those that it was told to isolate.
 */
static void read_isolation(struct tw_environ *env, const char *root,
			   bool booted)
{
	int last = tw_environ_last(root);
	cpu_set_t more;

	env->isolated.known =
		tw_environ_list(root, last, &env->isolated.set,
				"/sys/devices/system/cpu/isolated");
	env->tickless.known =
		tw_environ_list(root, last, &env->tickless.set,
				"/sys/devices/system/cpu/nohz_full");
	/* Kernels that have the one file and not the other cannot do it. */
	if (!env->tickless.known && env->isolated.known)
		env->tickless.known = true;
	else if (!env->tickless.known && booted)
		env->tickless.known = !tw_environ_parse(env->nohz_full, last,
							&env->tickless.set);
	if (!env->isolated.known && booted)
		env->isolated.known =
			!tw_environ_parse(isolated_list(env->isolcpus), last,
					  &env->isolated.set);
	if (tw_environ_list(root, last, &more,
			    "/sys/fs/cgroup/cpuset.cpus.isolated"))
		CPU_OR(&env->isolated.set, &env->isolated.set, &more);
	if (!booted)
		return;
	env->no_callbacks.known = !tw_environ_parse(env->rcu_nocbs, last,
						    &env->no_callbacks.set);
	if (env->no_callbacks.known && env->tickless.known)
		CPU_OR(&env->no_callbacks.set, &env->no_callbacks.set,
		       &env->tickless.set);
}

static bool read_boot_params(struct tw_environ *env, const char *root)
{
	const struct {
		const char *name;
		char *value;
		size_t size;
	} params[] = {
		{ "preempt", env->preempt, TW_FACT_MAX },
		{ "isolcpus", env->isolcpus, TW_LIST_MAX },
		{ "nohz_full", env->nohz_full, TW_LIST_MAX },
		{ "rcu_nocbs", env->rcu_nocbs, TW_LIST_MAX },
		{ "idle", env->idle, TW_FACT_MAX },
		{ "mitigations", env->mitigations, TW_FACT_MAX },
		{ "skew_tick", env->skew_tick, TW_FACT_MAX },
	};
	const char *line = env->command_line;
	char unused[TW_FACT_MAX];
	size_t i;

	if (!tw_kfile_text(root, env->command_line, sizeof(env->command_line),
			   "/proc/cmdline"))
		return false;
	for (i = 0; i < ARRAY_SIZE(params); i++)
		boot_param(line, params[i].name, params[i].value,
			   params[i].size);
	env->threadirqs = boot_param(line, "threadirqs", unused,
				     sizeof(unused));
	return true;
}

void tw_environ_read_kernel(struct tw_environ *env, const char *root)
{
	bool booted = read_boot_params(env, root);

	tw_kfile_text(root, env->release, sizeof(env->release),
		      "/proc/sys/kernel/osrelease");
	read_preemption(env, root);
	read_isolation(env, root, booted);
}
