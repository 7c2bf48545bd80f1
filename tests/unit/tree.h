/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A made-up system: files below a temporary root directory. */
#ifndef TREE_H
#define TREE_H

#include <ftw.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "check/tw_environ.h"

struct tree_file {
	const char *path;
	const char *text;
};

static char tree_root[64];

static inline int tree_remove_one(const char *path, const struct stat *status,
				  int flag, struct FTW *position)
{
	(void)status;
	(void)flag;
	return position->level ? remove(path) : 0;
}

/* Back to no file at all. */
static inline void tree_clear(void)
{
	assert_int_equal(nftw(tree_root, tree_remove_one, 8,
			      FTW_DEPTH | FTW_PHYS), 0);
}

/* The setup and teardown of each test. */
static inline int tree_setup(void **state)
{
	(void)state;
	strcpy(tree_root, "/tmp/test_tree.XXXXXX");
	return mkdtemp(tree_root) ? 0 : -1;
}

static inline int tree_teardown(void **state)
{
	(void)state;
	tree_clear();
	return rmdir(tree_root);
}

#define tree_test(name) \
	cmocka_unit_test_setup_teardown(name, tree_setup, tree_teardown)

static inline void tree_bytes(const char *path, const void *bytes, size_t len)
{
	char name[PATH_MAX], *slash;
	FILE *file;

	snprintf(name, sizeof(name), "%s%s", tree_root, path);
	for (slash = name + strlen(tree_root) + 1;
	     (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(name, 0700);
	}
	/* Anew: some file systems flush what is cut and written again. */
	unlink(name);
	file = fopen(name, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static inline void tree_add(const char *path, const char *text)
{
	tree_bytes(path, text, strlen(text));
}

/* Up to @max files, or the first without a path. */
static inline void tree_fill(const struct tree_file *files, int max)
{
	int i;

	for (i = 0; i < max && files[i].path; i++)
		tree_add(files[i].path, files[i].text);
}

static inline cpu_set_t one_cpu(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return cpus;
}

/* Client on CPU 3, server on CPU 2, both pinned and real-time. */
static inline struct tw_environ_params usual_params(void)
{
	struct tw_environ_params params = {
		.client = one_cpu(3), .server = one_cpu(2),
		.pinned = true, .realtime = true, .timer_prio = 98, .latency_us = -1,
	};

	return params;
}

/* What there is to read, with the usual parameters; until the next call. */
static inline const struct tw_environ *read_tree(void)
{
	const struct tw_environ_params params = usual_params();
	static struct tw_environ env;

	memset(&env, 0x5a, sizeof(env));
	tw_environ_read(&env, tree_root, &params);
	return &env;
}

/* CPUs as a list, until the next call; "?" if unknown. */
static inline const char *listed(const struct tw_cpus *cpus)
{
	static char list[256];
	size_t used = 0;
	int cpu;

	if (!cpus->known)
		return "?";
	list[0] = '\0';
	for (cpu = 0; cpu < CPU_SETSIZE && used < sizeof(list); cpu++)
		if (CPU_ISSET(cpu, &cpus->set))
			used += snprintf(list + used, sizeof(list) - used,
					 "%s%d", used ? " " : "", cpu);
	return list;
}

#endif /* TREE_H */
