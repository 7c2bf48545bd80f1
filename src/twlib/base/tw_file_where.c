// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A path is resolved once, to an open directory and a name in it. So later
 * changes of links or directories in the path do not change where the file is
 * written.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/tw_file.h"
#include "base/tw_time.h"

#define MAX_LINKS	40	/* as the kernel's */
#define OWNER_TRIES	10	/* ms in which the owner may begin to listen */

void tw_file_init(struct tw_file *file)
{
	memset(file, 0, sizeof(*file));
	file->dir_fd = -1;
	file->lock_fd = -1;
}

static void leave_dir(struct tw_file *file)
{
	if (file->dir_fd >= 0)
		close(file->dir_fd);
	file->dir_fd = -1;
}

void tw_file_leave(struct tw_file *file)
{
	leave_dir(file);
	if (file->lock_fd >= 0)
		close(file->lock_fd);
	file->lock_fd = -1;
}

/* FNV-1a: the name of a file may be longer than that of a socket. */
static uint64_t hash(const char *name)
{
	uint64_t value = 0xcbf29ce484222325;

	for (; *name; name++)
		value = (value ^ (unsigned char)*name) * 0x100000001b3;
	return value;
}

/*
 * Whether the owner of the name @address is this user or root: any user can
 * take a name that he guesses. Its owner has it for a moment before it listens.
 */
static bool is_owner_trusted(const struct sockaddr_un *address, socklen_t size)
{
	const struct timespec pause = { .tv_nsec = TW_NS_PER_MS };
	struct ucred owner;
	socklen_t len = sizeof(owner);
	int tries, fd, err = -1;

	for (tries = 0; err && tries < OWNER_TRIES; tries++) {
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			    0);
		err = fd < 0 ||
		      connect(fd, (const struct sockaddr *)address, size) ||
		      getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &owner, &len);
		if (fd >= 0)
			close(fd);
		if (err)
			nanosleep(&pause, NULL);
	}
	return !err && (owner.uid == geteuid() || !owner.uid);
}

/*
 * A file's lock must be held by a file, which a killed run would leave behind;
 * and not every file system has locks. The kernel's abstract socket names have
 * one owner each, who loses it when he ends.
 */
int tw_file_lock(struct tw_file *file)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const struct sockaddr *name = (const struct sockaddr *)&address;
	socklen_t size;
	struct stat dir;

	if (file->direct || fstat(file->dir_fd, &dir))
		return 0;
	size = (socklen_t)offsetof(struct sockaddr_un, sun_path) + 1 +
	       (socklen_t)snprintf(address.sun_path + 1,
				   sizeof(address.sun_path) - 1,
				   "twowaytest:%llx:%llx:%016llx",
				   (unsigned long long)dir.st_dev,
				   (unsigned long long)dir.st_ino,
				   (unsigned long long)hash(file->name));
	file->lock_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (file->lock_fd < 0)
		return 0;
	if (!bind(file->lock_fd, name, size)) {
		listen(file->lock_fd, SOMAXCONN);
		return 0;
	}
	return errno == EADDRINUSE && is_owner_trusted(&address, size) ?
	       -EBUSY : 0;
}

/* Goes to the directory of @path, from the one before if it is relative. */
static int enter(struct tw_file *file, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	int at = file->dir_fd >= 0 ? file->dir_fd : AT_FDCWD;
	char dir[PATH_MAX] = ".";
	int fd;

	if (!*name)
		return *path ? -EISDIR : -ENOENT;
	if (strlen(path) >= sizeof(dir) || strlen(name) > NAME_MAX)
		return -ENAMETOOLONG;
	if (slash)
		snprintf(dir, sizeof(dir), "%.*s", (int)(name - path), path);
	fd = openat(at, dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	leave_dir(file);
	file->dir_fd = fd;
	strcpy(file->name, name);
	return 0;
}

int tw_file_trust(const struct tw_file *file, const struct stat *found)
{
	struct stat dir;

	if (fstat(file->dir_fd, &dir))
		return -errno;
	if ((dir.st_mode & S_ISVTX) && (dir.st_mode & S_IWOTH) &&
	    found->st_uid != geteuid() && found->st_uid != dir.st_uid)
		return -EACCES;
	return 0;
}

/* What stands at the name: 1 for a link, which was followed; 0 or -errno. */
static int look(struct tw_file *file, struct stat *old)
{
	char target[PATH_MAX];
	ssize_t len = 0;
	int fd, err = 0;

	fd = openat(file->dir_fd, file->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(fd, old))
		err = -errno;
	else
		err = tw_file_trust(file, old);
	if (!err && !S_ISREG(old->st_mode) && !S_ISLNK(old->st_mode))
		err = -EEXIST;
	if (!err && S_ISLNK(old->st_mode)) {
		len = readlinkat(fd, "", target, sizeof(target) - 1);
		err = len < 0 ? -errno : 1;
	}
	close(fd);
	if (err != 1)
		return err;
	target[len] = '\0';
	err = enter(file, target);
	return err ? err : 1;
}

int tw_file_resolve(struct tw_file *file, const char *path, struct stat *old)
{
	int err = enter(file, path);
	int links;

	for (links = 0; !err && links < MAX_LINKS; links++) {
		old->st_mode = 0;
		err = look(file, old);
		if (err <= 0)
			return err;
		err = 0;
	}
	return err ? err : -ELOOP;
}

int tw_file_check_direct(struct tw_file *file, const char *path,
			 const struct stat *found)
{
	struct stat reached = { .st_mode = 0 };
	int err = tw_file_resolve(file, path, &reached);
	struct statfs fs;

	if (err == -EEXIST)
		return reached.st_dev == found->st_dev &&
		       reached.st_ino == found->st_ino ? 0 : -EACCES;
	/* The kernel's own links to what has no name, as /dev/fd/3. */
	if (!err && !reached.st_mode && !fstatfs(file->dir_fd, &fs) &&
	    fs.f_type == PROC_SUPER_MAGIC)
		return 0;
	return err ? err : -EACCES;
}
