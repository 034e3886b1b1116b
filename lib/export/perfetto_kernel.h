/*
 * perfetto_kernel: writes events as Perfetto gets them from the kernel's ftrace, in bundles by CPU, so that the viewer draws its own
 * scheduling tracks. It adds switches that the events lack, and marks wake-ups by interrupts.
 */
#ifndef EXPORT_PERFETTO_KERNEL_H
#define EXPORT_PERFETTO_KERNEL_H

#include "event/event.h"
#include "export/perfetto_packet.h"

struct kernel;

struct kernel *kernel_new(struct packets *packets, struct events *events, uint32_t machine); /* machine: see struct packets */
void kernel_free(struct kernel *kernel);
int kernel_event(struct kernel *kernel, const struct event *event);
int kernel_lost(struct kernel *kernel, uint32_t cpu); /* events of this CPU were lost: its next bundle says so */
void kernel_gap(struct kernel *kernel, int64_t ts);   /* events are complete until `ts`; behind it some may be missing */
int kernel_flush(struct kernel *kernel);

#endif
