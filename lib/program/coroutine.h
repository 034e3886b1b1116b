/*
 * coroutine: C++20 coroutines as GCC compiles them. The function itself, the ramp, makes a frame. The programmer's code is in the actor,
 * which is called with the frame each time the coroutine resumes.
 */
#ifndef PROGRAM_COROUTINE_H
#define PROGRAM_COROUTINE_H

/* A pattern for lookup_matching() that matches all actors; other patterns match none. */
#define COROUTINE_ACTORS "_Z*.Frame.actor"

/* The arguments of an actor's call that tell which coroutine resumes, and whether it has just been created (again=0). */
#define COROUTINE_ARGUMENTS "frame=%1,again=frame_ptr->_Coro_resume_index"

/* The symbol of the ramp, from that of its actor; NULL: the symbol is no actor's. The caller frees it. */
char *coroutine_ramp(const char *actor);

#endif
