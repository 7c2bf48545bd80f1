// SPDX-License-Identifier: GPL-2.0-or-later
/* main() of a fuzz target without libFuzzer: each seed of a folder, once. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In memory of exactly its size, so that ASan sees who reads beyond it. */
static void run_seed(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data;
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 1) {
		fprintf(stderr, "%s: empty, or cannot be read\n", path);
		exit(1);
	}
	rewind(file);
	data = malloc(size);
	if (!data || fread(data, size, 1, file) != 1) {
		perror(path);
		exit(1);
	}
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
}

int main(int argc, char *argv[])
{
	DIR *folder = argc > 1 ? opendir(argv[1]) : NULL;
	struct dirent *entry;
	char path[4096];
	int seeds = 0;

	while (folder && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
		/* It is the last line if this seed ends the program. */
		fprintf(stderr, "%s\n", path);
		run_seed(path);
		seeds++;
	}
	if (folder)
		closedir(folder);
	return !seeds;
}
