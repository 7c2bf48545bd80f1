/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What in this system the results depend on: a table of facts, each of which
 * is read, recorded in the JSON, and judged by --check if it can disturb.
 * A program has a list of tables, and may add its own. Called by main, before
 * it measures: reading takes some ms and changes nothing.
 */
#ifndef TW_CHECK_H
#define TW_CHECK_H

#include <net/if.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct tw_run;

/* What is measured, for those that judge. */
struct tw_checked {
	cpu_set_t cpus;		/* of what is measured */
	bool pinned;		/* each of its processes to one CPU */
	int priority;		/* real-time, the highest of them; 0: none */
	bool ordinary;		/* they are not real-time, by deadlines either */
	bool softirq_timer;	/* PREEMPT_RT wakes them by ktimers */
	bool realtime_load;	/* a load of ours may fill a CPU */
	char device[IF_NAMESIZE];	/* of the network; "": none */
};

enum tw_fact_kind {
	TW_FACT_TEXT,
	TW_FACT_CPUS,		/* a text: a list such as 0-2,5; may be empty */
	TW_FACT_NUMBER,
	TW_FACT_FLAG		/* a number: 0 or not */
};

struct tw_value {
	const char *from;	/* that of the fact */
	const struct tw_checked *of;
	bool known;
	char *text;
	int64_t number;
};

struct tw_fact {
	const char *name;	/* in the JSON and in --check */
	enum tw_fact_kind kind;
	const char *about;	/* for the schema */
	const char *from;	/* the file; for some readers something else */
	/* Makes @value known if it can. NULL: it is what the file has. */
	void (*read)(struct tw_value *value);
	/* Called if the value is known. NULL: it never does. */
	bool (*disturbs)(const struct tw_value *value);
	const char *why;	/* it disturbs; NULL: it is only recorded */
	/*
	 * What to do; @: the CPUs, but for CPU 0; %: device; ~: tracefs. Behind
	 * \n: what if the text is not empty, which follows.
	 */
	const char *fix;
};

/* Tables end with a row without a name, a list of tables with NULL. */
extern const struct tw_fact tw_facts_kernel[];
extern const struct tw_fact tw_facts_realtime[];
extern const struct tw_fact tw_facts_cpus[];
extern const struct tw_fact tw_facts_machine[];
extern const struct tw_fact tw_facts_device[];
extern const struct tw_fact tw_facts_network[];	/* after that; of hardware */

/*
 * The device that leads to @host, which may be the one below a virtual one;
 * it is not changed if there is no way. Whether a device is hardware.
 */
void tw_check_route(char device[IF_NAMESIZE], const char *host);
bool tw_check_is_hardware(const char *device);

/* For readers; each makes the value known. */
void tw_check_text(struct tw_value *value, const char *text);
void tw_check_cpus(struct tw_value *value, const cpu_set_t *cpus);
void tw_check_number(struct tw_value *value, int64_t number);

/* The last @name= on the kernel's command line. */
bool tw_facts_boot(char *value, size_t size, const char *name);

/*
 * What the kernel reserves for ordinary tasks in each second where real-time
 * tasks leave them none; 0: it has no such server. false: not known.
 */
bool tw_facts_fair_server(int64_t *ns);

/*
 * What real-time tasks, or those of our CPU cgroup, may use of each period of a
 * CPU, where the kernel stops them then; false: it does not, or not known.
 */
bool tw_facts_rt_limit(int64_t *runtime_us, int64_t *period_us);

/* For the tables: whether a number is not 0, a text not empty. */
bool tw_facts_is_set(const struct tw_value *value);
bool tw_facts_is_any(const struct tw_value *value);

/*
 * Reads all facts and judges them. With @only, prints them, writes the JSON and
 * ends the program: exit status 2 if one disturbs.
 */
void tw_check_facts(struct tw_run *run, const struct tw_checked *of,
		    const struct tw_fact *const tables[], bool only);

/* All tables that the program may use, the last is NULL; for the schema. */
extern const struct tw_fact *const tw_check_tables[];

#endif /* TW_CHECK_H */
