// SPDX-License-Identifier: GPL-2.0-or-later
/* --from, --to: uprobes at two functions of the program. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tw_guard.h"
#include "tw_mark.h"
#include "tw_say.h"
#include "wl.h"

#define REMOVE_MS	5000	/* until the instance is gone that has them */

static struct tw_guard guard;
static char group[32];

struct image {
	const char *bytes;
	size_t size;
};

/* NULL: it is not all there. */
static const void *part(const struct image *of, uint64_t at, uint64_t size)
{
	return at <= of->size && size <= of->size - at ? of->bytes + at : NULL;
}

/* Where in the file a virtual address is; 0: nowhere. */
static uint64_t place_of(const struct image *of, const ElfW(Ehdr) *head,
			 uint64_t address)
{
	const ElfW(Phdr) *load = part(of, head->e_phoff,
				      head->e_phnum * sizeof(*load));
	int i;

	for (i = 0; load && i < head->e_phnum; i++)
		if (load[i].p_type == PT_LOAD && address >= load[i].p_vaddr &&
		    address - load[i].p_vaddr < load[i].p_filesz)
			return address - load[i].p_vaddr + load[i].p_offset;
	return 0;
}

static uint64_t find_in(const struct image *of, const ElfW(Ehdr) *head,
			const ElfW(Shdr) *table, const ElfW(Shdr) *names,
			const char *name)
{
	const ElfW(Sym) *symbol = part(of, table->sh_offset, table->sh_size);
	size_t i, count = table->sh_size / sizeof(*symbol);
	size_t length = strlen(name) + 1;
	const char *here;

	for (i = 0; symbol && i < count; i++) {
		here = part(of, names->sh_offset + symbol[i].st_name, length);
		if (here && !memcmp(here, name, length) &&
		    (symbol[i].st_info & 0xf) == STT_FUNC &&
		    symbol[i].st_value)
			return place_of(of, head, symbol[i].st_value);
	}
	return 0;
}

/* Where the function is in the file; 0: it is not there. */
static uint64_t find_function(const struct image *of, const char *name)
{
	const ElfW(Ehdr) *head = part(of, 0, sizeof(*head));
	const ElfW(Shdr) *table;
	uint64_t found = 0;
	int i;

	if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) ||
	    head->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 :
							       ELFCLASS32))
		return 0;
	table = part(of, head->e_shoff, head->e_shnum * sizeof(*table));
	for (i = 0; table && !found && i < head->e_shnum; i++)
		if ((table[i].sh_type == SHT_SYMTAB ||
		     table[i].sh_type == SHT_DYNSYM) &&
		    table[i].sh_link < head->e_shnum)
			found = find_in(of, head, &table[i],
					&table[table[i].sh_link], name);
	return found;
}

/* What is written to uprobe_events behind the event's name. */
static char *probe_of(const char *option, const char *text)
{
	const char *colon = strrchr(text, ':');
	char *path = strndup(text, colon ? colon - text : 0);
	char *whole = realpath(path, NULL), *end, *probe;
	int fd = whole ? open(whole, O_RDONLY | O_CLOEXEC) : -1;
	struct image image = { NULL, 0 };
	uint64_t at = 0;
	struct stat of;

	if (!colon || !colon[1])
		tw_say_fatal("--%s=%s: allowed is PROGRAM:FUNCTION or PROGRAM:OFFSET, as of a file and a function in it\n",
			     option, text);
	if (fd < 0 || fstat(fd, &of))
		tw_say_fatal("--%s=%s: cannot open %s: %m\n", option, text,
			     path);
	at = strtoull(colon + 1, &end, 0);
	if (*end) {
		image.bytes = mmap(NULL, of.st_size, PROT_READ, MAP_PRIVATE,
				   fd, 0);
		image.size = image.bytes == MAP_FAILED ? 0 : of.st_size;
		at = find_function(&image, colon + 1);
	}
	if (!at)
		tw_say_fatal("--%s=%s: this file has no such function; nm lists those that it has\n",
			     option, text);
	if (image.size)
		munmap((void *)image.bytes, image.size);
	close(fd);
	if (asprintf(&probe, "%s:0x%llx", whole, (unsigned long long)at) < 0)
		tw_say_fatal("no memory\n");
	free(path);
	free(whole);
	return probe;
}

void wl_probe_check(const char *option, const char *text)
{
	free(probe_of(option, text));
}

static int put(const char *text)
{
	char path[PATH_MAX];
	int fd, err;

	snprintf(path, sizeof(path), "%s/uprobe_events", tw_mark_tracefs());
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	err = fd < 0 || write(fd, text, strlen(text)) < 0 ? -errno : 0;
	if (fd >= 0)
		close(fd);
	return err;
}

/* What is gone, or was never there, is -ENOENT. */
static int remove_probes(void)
{
	const char *const names[] = { wl_from_event, wl_to_event };
	char text[96];
	int i, ms, err = 0;

	for (i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "-:%s/%s\n", group, names[i]);
		for (ms = 0; ms < REMOVE_MS; ms++) {
			err = put(text);
			if (err != -EBUSY)
				break;
			usleep(1000);
		}
		if (err && err != -ENOENT)
			tw_say_warn("cannot remove the uprobe %s/%s: %s\n",
				    group, names[i], strerror(-err));
	}
	return err == -ENOENT ? 0 : err;
}

static void add(const char *option, const char *name, const char *place)
{
	char *probe = probe_of(option, place), *text;
	int err;

	if (asprintf(&text, "p:%s/%s %s\n", group, name, probe) < 0)
		tw_say_fatal("no memory\n");
	err = put(text);
	if (err)
		tw_say_fatal("--%s=%s: cannot make a uprobe: %s; needed are tracefs, root, and a kernel with uprobes\n",
			     option, place, strerror(-err));
	free(text);
	free(probe);
}

const char *wl_probe_open(void)
{
	static char events[128];

	snprintf(group, sizeof(group), "whylate_%d", (int)getpid());
	tw_guard_start(&guard, remove_probes);
	add("from", wl_from_event, wl_config.from);
	add("to", wl_to_event, wl_config.to);
	snprintf(events, sizeof(events), "%s:%s,%s:%s", group, wl_from_event,
		 group, wl_to_event);
	return events;
}

void wl_probe_close(void)
{
	tw_guard_end(&guard);
}
