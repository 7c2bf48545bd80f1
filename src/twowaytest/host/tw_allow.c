// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host/tw_allow.h"
#include "host/tw_keys.h"

#define MAPPED_BITS	96	/* before the address of IPv4 */
#define ENTRY_TEXT	(INET6_ADDRSTRLEN + sizeof("/128"))

static unsigned int most_bits(int family)
{
	return family == AF_INET ? 32 : 128;
}

static bool bit_of(const uint8_t *address, unsigned int bit)
{
	return address[bit / 8] >> (7 - bit % 8) & 1;
}

/* Decimal, without a sign or leading zeros. */
static bool read_bits(const char *text, unsigned int most, unsigned int *bits)
{
	const char *c = text;

	*bits = 0;
	if (c[0] == '0' && c[1])
		return false;
	for (; *c >= '0' && *c <= '9' && *bits <= most; c++)
		*bits = 10 * *bits + (unsigned int)(*c - '0');
	return c != text && !*c && *bits <= most;
}

static void say_network(const struct tw_allow_entry *entry, char *buf,
			size_t size)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(entry->family, entry->address, text, sizeof(text));
	snprintf(buf, size, "%s/%u", text, entry->bits);
}

/* Sets the bits of the host to 0; false: one was not. */
static bool clear_host(struct tw_allow_entry *entry)
{
	unsigned int bit;
	bool clear = true;

	for (bit = entry->bits; bit < most_bits(entry->family); bit++)
		if (bit_of(entry->address, bit)) {
			entry->address[bit / 8] &=
				(uint8_t)~(0x80 >> bit % 8);
			clear = false;
		}
	return clear;
}

static bool is_mapped(const uint8_t *address)
{
	static const uint8_t prefix[MAPPED_BITS / 8] = {
		[10] = 0xff, [11] = 0xff,
	};

	return !memcmp(address, prefix, sizeof(prefix));
}

static void unmap(struct tw_allow_entry *entry)
{
	/* Bits behind the network's are 0: it has at least MAPPED_BITS. */
	if (entry->family != AF_INET6 || !is_mapped(entry->address))
		return;
	entry->family = AF_INET;
	entry->bits -= MAPPED_BITS;
	memmove(entry->address, entry->address + MAPPED_BITS / 8, 4);
	memset(entry->address + 4, 0, sizeof(entry->address) - 4);
}

/* @text is shown as it is: it was checked to have the characters of one. */
static int parse_entry(char *text, struct tw_allow_entry *entry, char *why,
		       size_t size)
{
	char *slash = strchr(text, '/');
	char network[ENTRY_TEXT];

	memset(entry, 0, sizeof(*entry));
	if (slash)
		*slash = '\0';
	entry->family = strchr(text, ':') ? AF_INET6 : AF_INET;
	if (inet_pton(entry->family, text, entry->address) != 1) {
		snprintf(why, size,
			 "\"%s\" is no address of IPv4 or IPv6 in digits",
			 text);
		return -EINVAL;
	}
	entry->bits = most_bits(entry->family);
	if (slash && !read_bits(slash + 1, entry->bits, &entry->bits)) {
		snprintf(why, size,
			 "\"%s/%s\": the number of bits has to be 0 to %u",
			 text, slash + 1, most_bits(entry->family));
		return -EINVAL;
	}
	if (!clear_host(entry)) {
		say_network(entry, network, sizeof(network));
		snprintf(why, size,
			 "\"%s/%s\" has bits behind the network's: write %s or %s",
			 text, slash + 1, network, text);
		return -EINVAL;
	}
	unmap(entry);
	return 0;
}

/* A copy of the entry at @text, which ends at "," or the end. */
static int copy_entry(const char *text, size_t length, char entry[ENTRY_TEXT],
		      char *why, size_t size)
{
	char shown[64];

	if (!length) {
		snprintf(why, size, "an entry is empty");
		return -EINVAL;
	}
	if (length >= ENTRY_TEXT ||
	    strspn(text, "0123456789abcdefABCDEF.:/") < length) {
		snprintf(why, size,
			 "\"%s\" is no address of IPv4 or IPv6 in digits",
			 tw_keys_show(shown, sizeof(shown), text, length));
		return -EINVAL;
	}
	memcpy(entry, text, length);
	entry[length] = '\0';
	return 0;
}

int tw_allow_parse(const char *text, struct tw_allow *allow, char *why,
		   size_t size)
{
	char entry[ENTRY_TEXT];
	size_t length;
	int err;

	allow->count = 0;
	for (;; text += length + 1) {
		length = strcspn(text, ",");
		if (allow->count == TW_ALLOW_MAX) {
			snprintf(why, size, "there are more than %d entries",
				 TW_ALLOW_MAX);
			return -EINVAL;
		}
		err = copy_entry(text, length, entry, why, size);
		if (!err)
			err = parse_entry(entry,
					  &allow->entries[allow->count], why,
					  size);
		if (err)
			return err;
		allow->count++;
		if (!text[length])
			return 0;
	}
}

static bool has(const struct tw_allow_entry *entry,
		const struct tw_allow_entry *one)
{
	unsigned int bit;

	if (entry->family != one->family)
		return false;
	for (bit = 0; bit < entry->bits; bit++)
		if (bit_of(entry->address, bit) != bit_of(one->address, bit))
			return false;
	return true;
}

bool tw_allow_match(const struct tw_allow *allow,
		    const union tw_address *address)
{
	struct tw_allow_entry one = { .family = address->any.sa_family };
	unsigned int i;

	if (one.family == AF_INET)
		memcpy(one.address, &address->in.sin_addr, 4);
	else if (one.family == AF_INET6)
		memcpy(one.address, &address->in6.sin6_addr, 16);
	else
		return false;
	one.bits = most_bits(one.family);
	unmap(&one);
	for (i = 0; i < allow->count; i++)
		if (has(&allow->entries[i], &one))
			return true;
	return false;
}
