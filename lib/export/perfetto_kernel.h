/*
 * perfetto_kernel: turns events into what the kernel's ftrace gives Perfetto, in bundles by CPU, so that the viewer draws its own
 * scheduling tracks. It finds switches that the events lack, and tells wake-ups by interrupts from others.
 */
#ifndef EXPORT_PERFETTO_KERNEL_H
#define EXPORT_PERFETTO_KERNEL_H

#include "event/event.h"
#include "export/perfetto_packet.h"

struct kernel;

struct kernel *kernel_new(struct packets *packets, struct events *events, uint32_t machine); /* machine: see struct packets */
void kernel_free(struct kernel *kernel);
int kernel_event(struct kernel *kernel, const struct event *event);
int kernel_lost(struct kernel *kernel, uint32_t cpu); /* the next bundle of this CPU says so */
void kernel_gap(struct kernel *kernel, int64_t ts);   /* all that happened until then is known, what follows may not be */
int kernel_flush(struct kernel *kernel);

#endif
