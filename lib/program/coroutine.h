/*
 * coroutine: C++20 coroutines as GCC compiles them. The function itself, the ramp, makes a frame. The programmer's code is in the actor, which
 * is called with the frame each time that the coroutine goes on.
 */
#ifndef PROGRAM_COROUTINE_H
#define PROGRAM_COROUTINE_H

/* All actors, as a pattern for lookup_matching(); other patterns match none. */
#define COROUTINE_ACTORS "_Z*.Frame.actor"

/* The arguments of an actor's call that tell which coroutine goes on, and whether it has just been made (then 0). */
#define COROUTINE_ARGUMENTS "frame=%1,again=frame_ptr->_Coro_resume_index"

/* The ramp's symbol, by the actor's; NULL: it is none. The caller frees it. */
char *coroutine_ramp(const char *actor);

#endif
