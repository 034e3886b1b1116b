/*
 * sent_files: sockets to which others may send open files along with data (SCM_RIGHTS), which nobody here wants.
 *
 * The last process to close a file may have to wait, as for a connection that lingers (SO_LINGER). A process that receives a file, or closes the
 * socket in which the file waits, may be the last one. Since Linux 6.16 a socket can refuse files. On an older kernel a signal ends such a wait
 * after SENT_FILES_MS: the wait for a connection heeds signals, and a process that never opened a file of FUSE does not wait for FUSE.
 */
#ifndef SOURCE_SENT_FILES_H
#define SOURCE_SENT_FILES_H

#include <sys/socket.h>
#include <sys/types.h>

enum { SENT_FILES_MS = 10 };

/* Makes the socket refuse files, if the kernel can do that. */
void sent_files_refuse(int socket);

/* As recvmsg(2); files that came along are closed. */
ssize_t sent_files_receive(int socket, struct msghdr *message, int flags);

/* As close(2), of a socket whose messages were not all received. */
void sent_files_close(int socket);

#endif
