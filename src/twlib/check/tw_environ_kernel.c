// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the kernel's preemption model and boot parameters. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rt-utils.h"
#include "base/tw_kfile.h"
#include "check/tw_environ.h"

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

/* PREEMPT last of those in the version: the others begin with it. */
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
		/* The version, if known, would have shown this model. */
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

/* The mode of a kernel that was booted without preempt=. */
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
	/* Other kernels ignore preempt=. */
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

/* In names the kernel accepts a dash instead of an underscore. */
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

/* Stores the value of the last @name in @line, or "", in @value. */
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

/* "managed_irq,domain,2-3"; without a flag, "domain" is the default. */
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
 * The CPUs that are isolated, at boot or by a cpuset partition. If the kernel
 * does not show them: those of its command line, if that is known (@booted).
 */
static void read_isolation(struct tw_environ *env, const char *root,
			   bool booted)
{
	int last = tw_environ_last(root);
	cpu_set_t more;

	env->isolated.known =
		tw_cpus_read(root, last, &env->isolated.set,
			     "/sys/devices/system/cpu/isolated");
	env->tickless.known =
		tw_cpus_read(root, last, &env->tickless.set,
			     "/sys/devices/system/cpu/nohz_full");
	/* A kernel that has only the file "isolated" has no nohz_full. */
	if (!env->tickless.known && env->isolated.known)
		env->tickless.known = true;
	else if (!env->tickless.known && booted)
		env->tickless.known = !tw_cpus_parse(env->nohz_full, last,
						     &env->tickless.set);
	if (!env->isolated.known && booted)
		env->isolated.known =
			!tw_cpus_parse(isolated_list(env->isolcpus), last,
				       &env->isolated.set);
	if (tw_cpus_read(root, last, &more,
			 "/sys/fs/cgroup/cpuset.cpus.isolated"))
		CPU_OR(&env->isolated.set, &env->isolated.set, &more);
	if (!booted)
		return;
	env->no_callbacks.known = !tw_cpus_parse(env->rcu_nocbs, last,
						 &env->no_callbacks.set);
	if (env->no_callbacks.known && env->tickless.known)
		CPU_OR(&env->no_callbacks.set, &env->no_callbacks.set,
		       &env->tickless.set);
}

static bool read_boot_params(struct tw_environ *env, const char *root)
{
	const struct tw_fact *fact;
	char unused[TW_FACT_MAX];

	if (!tw_kfile_text(root, env->command_line, sizeof(env->command_line),
			   "/proc/cmdline"))
		return false;
	for (fact = tw_facts; fact->name; fact++) {
		void *at = (char *)env + fact->offset;

		if (!fact->source || *fact->source == '/')
			continue;
		if (fact->kind == TW_FACT_TEXT)
			boot_param(env->command_line, fact->source, at,
				   fact->size);
		else
			*(int *)at = boot_param(env->command_line,
						fact->source, unused,
						sizeof(unused));
	}
	return true;
}

void tw_environ_read_kernel(struct tw_environ *env, const char *root)
{
	bool booted = read_boot_params(env, root);

	read_preemption(env, root);
	read_isolation(env, root, booted);
}
