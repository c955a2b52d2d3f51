/* The election and its guard session (docs/election.md), for Spin. README.md beside this file says what is checked;
 * check.py names every variant (-D...) and every flaw that must be found.
 *
 * Nothing here has a horizon. Time is kept as ages and spans left, in ticks, and a tick moves them all. Of an epoch or
 * a renew_seq that a node remembers only one thing matters: whether it still equals the row's. So a change of the row
 * ends what was remembered of it, and a statement whose WHERE can never match again has failed.
 *
 * A step is one event: a node sends, the server begins or executes a statement, an answer arrives, a session ends, a
 * node gives a statement up (it may execute later all the same), time passes. Nothing is urgent: delays, waits for a
 * row lock, lost requests and answers and paused nodes are orders of these events. Where two events are one step here,
 * a comment says why nothing is lost by it. */

#ifndef N
#define N 2 /* nodes */
#endif
#ifndef TTL
#define TTL 2
#endif
#ifndef D0
#define D0 2 /* the first node's d, the longest */
#endif
#ifndef D1
#define D1 1 /* the others' */
#endif
#define D(i) (i == 0 -> D0 : D1)

#define NONE 0
/* Statements of the lease session ... */
#define SEIZE 1
#define RENEW 2
#define CONFIRM 3 /* a renewal of a lease that is ours by the row, though we did not know it */
#define RELEASE 4
#define DISARM 5
/* ... and of the guard session. GET_LOCK is no statement here: a node that was not granted the lock waits for it. That
 * it learns of the grant at once only lets it do more. */
#define PING 6
#define ARM 7
#define EARLY 8 /* the early seizure */

#define SENT 0
#define STARTED 1 /* at the server, NOW is frozen */
#define MATCHED 2 /* executed, the answer is on its way */
#define REFUSED 3

/* What a node holds: an epoch that is the row's, one that is no more, or the row's, that it has ended for itself. */
#define CURRENT 1
#define STALE 2
#define ENDED 3

/* Guard sessions as the server knows them: node i's present one, one that it gave up and the server did not, and any
 * that is over. A session without the lock never gets it later, so of a node's old ones only the holder matters. */
#define CUR(i) (1 + i)
#define OLD(i) (1 + N + i)
#define OVER (1 + 2 * N)

/* Database servers that hold the one row together, each with named locks of its own. The nodes take turns at them;
 * ROAMING: a new session may be at any. */
#ifndef SERVERS
#define SERVERS 1
#endif
#ifdef ROAMING
#define SERVER(i) at[i]
#define OLD_SERVER(i) old_at[i]
#else
#define SERVER(i) (i % SERVERS)
#define OLD_SERVER(i) SERVER(i)
#endif

/* ----------------------------------------------------------------------------------------------------- the database */

byte owner;     /* 1 + node; 0 when free */
byte guard;     /* the session in guard_conn */
byte guard_at;  /* guard_server */
byte row_d;     /* guard_us */
byte lock_held[SERVERS]; /* the session that holds the named lock */
#define LOCK(i) lock_held[SERVER(i)]
#define OLD_LOCK(i) lock_held[OLD_SERVER(i)]

/* ANY_CLOCK: the row's test of expiry goes either way, as by a clock that does what it likes. Otherwise the database's
 * clock runs, or steps to and fro by STEP. */
#if defined(TTL_PATH) && !defined(ANY_CLOCK)
#define CLOCK
#ifndef STEP
#define STEP 0
#endif
#define STALL (TTL + 1) /* so long at most is a statement under way at the server */
#define OLDEST (TTL + STALL + 2 * STEP)
short age; /* since the renewal, by the database's clock */
short skew;
#endif

/* ------------------------------------------------------------------------------------------------------- the nodes */

typedef statement {
    byte what;
    byte phase;
    byte spent;  /* ticks since it was sent */
#ifdef CLOCK
    short began; /* the age of its frozen NOW, by the database's clock */
#endif
    bit same;    /* matched, and the epoch that it was about is still the row's */
    bit vain;    /* the term that it was about is over for the node: its answer changes nothing */
    bit armed;   /* CONFIRM: the row was armed when it was read */
}

byte held[N];
statement L[N];    /* on the lease session */
statement late[N]; /* given up by the node, yet to execute */

#ifdef TTL_PATH
byte lease[N]; /* ticks left */
byte seen[N];  /* 1 + the ticks for which it has seen the row as it is now; 0: it has not */
#ifdef OBSERVED_FROM_REQUEST
byte asked[N];
#endif
#define LEASE(i) (lease[i] > 0)
#else
#define LEASE(i) true /* the guard alone must do */
#endif

#ifdef GUARD_PATH
statement G[N];  /* on the guard session */
bit granted[N];  /* it was granted the lock on its present session, and knows of no end */
byte since[N];   /* ticks since then */
bit guarded[N];
byte ping[N];    /* ticks left of the guard's deadline */
bit armed[N];    /* this session's arm or early seizure was acknowledged */
bit loose[N];    /* an arm of this term was given up, and its session may hold the lock */
byte old[N];     /* what the old session has yet to execute */
#ifdef ROAMING
byte at[N], old_at[N];
bit loose_at[N]; /* where that arm was sent */
#endif
#ifdef NO_GUARD_DEADLINE
#define GUARD(i) true
#else
#define GUARD(i) (!guarded[i] || ping[i] > 0)
#endif
#else
#define GUARD(i) true
#endif

#define HOLDS(i) (held[i] == CURRENT || held[i] == STALE)
#define ACTS(i) (HOLDS(i) && LEASE(i) && GUARD(i))
#define MAX(a, b) (a > b -> a : b)
#define LEFT(span, spent) (span > spent -> span - spent : 0)
#define SPEND(x) x = LEFT(x, 1)
#define GROW(x, most) x = (x < most -> x + 1 : most)

byte k, acting; /* of loops within a step; 0 between steps */

/* The promise: no two nodes act at once. And more than that: whoever acts is the owner in the row under the row's
 * epoch, so that epochs act in their order. Flaws must break the promise itself. */
inline judge()
{
    acting = 0;
    for (k : 0 .. N - 1) {
        if
        :: ACTS(k) ->
            acting++;
#ifndef PROMISE_ONLY
            assert(held[k] == CURRENT && owner == k + 1)
#endif
        :: else
        fi
    }
    assert(acting <= 1);
    acting = 0;
    k = 0
}

/* -DSEE=n: the run fails where this happens, which shows that it can. */
#ifdef SEE
#define SAW(n) assert(SEE != n)
#else
#define SAW(n) skip
#endif

/* ------------------------------------------------------------------------------- statements, and what outdates them */

#define PENDING(s) (s.what != NONE && s.phase <= STARTED)
#define EXECUTED(s) (s.what != NONE && s.phase >= MATCHED)

inline clear(s)
{
    s.what = NONE; s.phase = SENT; s.spent = 0; s.same = 0; s.vain = 0; s.armed = 0;
#ifdef CLOCK
    s.began = 0;
#endif
}

inline send(s, kind)
{
    s.what = kind
}

inline executed(s, how)
{
    s.phase = how;
#ifdef CLOCK
    s.began = 0;
#endif
}

inline match(s)
{
    executed(s, MATCHED); s.same = 1
}

/* Only of a renewal does the refusal tell anything; another is as if the node had been answered at once. */
inline refuse(s)
{
    if
    :: s.what == RENEW && !s.vain -> executed(s, REFUSED)
    :: else -> clear(s)
    fi
}

inline new_seq()
{
    for (k : 0 .. N - 1) {
#ifdef TTL_PATH
        seen[k] = 0;
#endif
#ifndef NO_SEQ
        if
        :: L[k].what == SEIZE && PENDING(L[k]) -> refuse(L[k])
        :: else
        fi;
        if
        :: late[k].what == SEIZE -> clear(late[k])
        :: else
        fi
#endif
    }
    k = 0
}

inline new_epoch()
{
    new_seq();
    for (k : 0 .. N - 1) {
        if
        :: held[k] == CURRENT -> held[k] = STALE
        :: held[k] == ENDED -> held[k] = NONE
        :: else
        fi;
        if
        :: PENDING(L[k]) -> refuse(L[k])
        :: else
        fi;
        L[k].same = 0;
        clear(late[k]);
#ifdef GUARD_PATH
        if
        :: PENDING(G[k]) -> clear(G[k])
        :: else
        fi;
        G[k].same = 0;
        old[k] = NONE
#endif
    }
    k = 0
}

/* ------------------------------------------------------------------------------------------------- a node's beliefs */

inline no_lease(i)
{
#ifdef TTL_PATH
    lease[i] = 0;
#endif
#ifdef GUARD_PATH
    guarded[i] = 0; ping[i] = 0; armed[i] = 0; loose[i] = 0;
#ifdef ROAMING
    loose_at[i] = 0;
#endif
#endif
    skip
}

inline lose(i)
{
    held[i] = (held[i] == CURRENT -> ENDED : NONE);
    no_lease(i);
    if
    :: EXECUTED(L[i]) -> clear(L[i])
    :: else -> L[i].vain = (L[i].what != NONE)
    fi;
#ifdef GUARD_PATH
    if
    :: EXECUTED(G[i]) -> clear(G[i])
    :: else -> G[i].vain = (G[i].what != NONE)
    fi
#endif
}

#ifdef FROM_REPLY
#define SPENT(s) 0
#else
#define SPENT(s) s.spent
#endif

inline trust_lease(i, s)
{
#ifdef TTL_PATH
    lease[i] = MAX(lease[i], LEFT(TTL, SPENT(s)))
#else
    skip
#endif
}

/* Is the epoch of statement s newer than what the node holds? */
#define NEWER(i, s) (held[i] == NONE || (held[i] == STALE && s.same))

inline promote(i, s)
{
    held[i] = (s.same -> CURRENT : STALE);
    no_lease(i);
    trust_lease(i, s)
}

inline trust_guard(i, s)
{
    guarded[i] = 1; armed[i] = 1; ping[i] = MAX(ping[i], LEFT(D(i), SPENT(s)))
}

/* ------------------------------------------------------------------------------------------- the lease's statements */

#ifdef CLOCK
#define EXPIRED(s) (age - s.began >= TTL) /* in the WHERE of s */
#define RIPE (age >= TTL)                 /* in what a node reads */
#else
#define RIPE true
#endif

inline renewed(s)
{
#ifdef CLOCK
    age = s.began
#else
    skip
#endif
}

/* Statement s of node i executes; `expired` is what its WHERE finds of the row's age. */
inline execute(i, s, expired)
{
    if
#ifdef SEED
    :: s.what == SEIZE ->
#else
    :: s.what == SEIZE && (owner == 0 || expired) ->
#endif
        renewed(s); match(s); new_epoch(); s.same = 1; owner = i + 1; guard = 0; guard_at = 0; row_d = 0
    :: (s.what == RENEW || s.what == CONFIRM) && owner == i + 1 && !expired ->
        renewed(s); match(s);
#ifndef SEED
        new_seq()
#endif
    :: s.what == RELEASE && owner == i + 1 ->
        owner = 0; guard = 0; guard_at = 0; row_d = 0; new_seq(); clear(s)
#ifdef DISARM_IF_FREE
    :: s.what == DISARM && owner == i + 1 && lock_held[SERVERS - 1] == 0 ->
#else
    :: s.what == DISARM && owner == i + 1 ->
#endif
        guard = 0; guard_at = 0; row_d = 0; match(s)
    :: else -> refuse(s)
    fi
}

/* Without a guard, and where the lease does not expire, renewals only repeat what holds. */
#ifdef TTL_PATH
#define LINGERS(s) true
#else
#define LINGERS(s) (s.what == RELEASE || s.what == DISARM)
#endif

/* ------------------------------------------------------------------------------------------- the guard's statements */

#ifdef GUARD_PATH
#ifdef NO_LOCK_TEST
#define LOCKED(server, x) true
#else
#define LOCKED(server, x) (lock_held[server] == x)
#endif
#ifdef SEIZE_UNARMED
#define ARMED(server) true
#elif defined(NO_SERVER_TEST)
#define ARMED(server) (guard != 0)
#else
#define ARMED(server) (guard != 0 && guard_at == server)
#endif
#ifdef ARM_WITHOUT_LOCK
#define MAY_ARM(i, x) true
#else
#define MAY_ARM(i, x) (LOCK(i) == x)
#endif

inline arm_row(i, x, server)
{
    guard = x; guard_at = server; row_d = D(i)
}

inline seize_early(i, x, server)
{
    new_epoch(); owner = i + 1; arm_row(i, x, server)
}

inline end_session(server, x)
{
    lock_held[server] = 0;
    guard = (guard == x -> OVER : guard)
}

#ifdef OWN_D
#define WAIT(i) D(i)
#else
#define WAIT(i) row_d
#endif
#ifdef NO_WAIT
#define WAITED(i) true
#else
#define WAITED(i) (since[i] >= WAIT(i))
#endif

/* May a master disarm, to go on without a guard? Not while an arm is under way whose answer it still awaits, and not
 * after it gave one up: that one might execute after the disarm. */
#if defined(DISARM_BLIND) || defined(DISARM_IF_FREE)
#define SETTLED(i) (G[i].what != ARM)
#elif defined(DISARM_WHILE_ARMING)
#define SETTLED(i) true
#else
#define SETTLED(i) (G[i].what != ARM && !loose[i])
#endif
#ifdef ARM_WHILE_DISARMING
#define QUIET(i) true
#elif defined(ARM_ANYWHERE)
#define QUIET(i) (L[i].what != DISARM)
#else
/* Nor may one arm after an arm was given up at another server: that one might execute after this. */
#define QUIET(i) (L[i].what != DISARM && !loose[i])
#endif
#endif

/* -------------------------------------------------------------------------------------------------------- the nodes */

active [N] proctype node()
{
    do
    /* A tick of the election: the row as it is, and what is sent upon it. To read takes no time here: an answer that
     * comes later only delays what is done upon it. */
#ifdef OBSERVED_FROM_REQUEST
    :: d_step { L[_pid].what == NONE && asked[_pid] == 0 && !HOLDS(_pid) -> asked[_pid] = 1 }
#define ASKED (asked[_pid] > 0)
#define FIRST_SEEN asked[_pid]; asked[_pid] = 0
#else
#define ASKED true
#define FIRST_SEEN 1
#endif
    :: d_step { L[_pid].what == NONE && !HOLDS(_pid) && owner == 0 ->
        printf("%d seizes the free row\n", _pid); send(L[_pid], SEIZE) }
    :: d_step { L[_pid].what == NONE && owner == _pid + 1 &&
#ifdef CONFIRM_ENDED
        !HOLDS(_pid) ->
        held[_pid] = NONE;
#else
        held[_pid] == NONE ->
#endif
        printf("%d confirms a lease that is its own by the row\n", _pid); send(L[_pid], CONFIRM);
#if defined(GUARD_PATH) && !defined(CONFIRM_UNGUARDED)
        L[_pid].armed = (guard != 0)
#endif
        }
    :: d_step { L[_pid].what == NONE && held[_pid] == STALE ->
        printf("%d reads that it is master no more\n", _pid); lose(_pid) }
#ifdef TTL_PATH
#define ANOTHERS(i) (owner != 0 && (owner != i + 1 || held[i] == ENDED))
#if defined(SEED) || defined(DATABASE_CLOCK_ONLY)
#define WATCHED(i) true
#else
#define WATCHED(i) (seen[i] == TTL + 1)
#endif
    :: d_step { ASKED && L[_pid].what == NONE && !HOLDS(_pid) && ANOTHERS(_pid) && seen[_pid] == 0 ->
        printf("%d observes the row\n", _pid); seen[_pid] = FIRST_SEEN }
    :: d_step { L[_pid].what == NONE && !HOLDS(_pid) && ANOTHERS(_pid) && RIPE && WATCHED(_pid) ->
        printf("%d seizes the expired row\n", _pid); send(L[_pid], SEIZE) }
    :: d_step { L[_pid].what == NONE && held[_pid] == CURRENT -> printf("%d renews\n", _pid); send(L[_pid], RENEW) }
#endif
#ifdef WITH_RELEASE
    :: d_step { L[_pid].what == NONE && held[_pid] == CURRENT ->
        printf("%d releases the row\n", _pid);
#ifndef RELEASE_WHILE_ACTING
        lose(_pid);
#endif
        send(L[_pid], RELEASE) }
#endif
#ifdef WITH_DISARM
    :: d_step { L[_pid].what == NONE && held[_pid] == CURRENT && guarded[_pid] && SETTLED(_pid) ->
        printf("%d disarms\n", _pid); send(L[_pid], DISARM); armed[_pid] = 0;
#ifdef DISARM_UNACKNOWLEDGED
        guarded[_pid] = 0; ping[_pid] = 0;
#endif
        judge() }
#endif

    /* The lease session's statement, at the server. */
#ifdef CLOCK
    :: d_step { L[_pid].what != NONE && L[_pid].phase == SENT ->
        printf("    %d's lease statement starts\n", _pid); L[_pid].phase = STARTED }
    :: d_step { L[_pid].what != NONE && L[_pid].phase == STARTED ->
        printf("    %d's lease statement executes\n", _pid); execute(_pid, L[_pid], EXPIRED(L[_pid])); judge() }
    :: d_step { late[_pid].what != NONE && late[_pid].phase == SENT ->
        printf("    %d's late statement starts\n", _pid); late[_pid].phase = STARTED }
    :: d_step { late[_pid].what != NONE && late[_pid].phase == STARTED ->
        printf("    %d's late statement executes\n", _pid);
        execute(_pid, late[_pid], EXPIRED(late[_pid])); clear(late[_pid]); judge() }
#else
    :: d_step { PENDING(L[_pid]) ->
        printf("    %d's lease statement executes\n", _pid); execute(_pid, L[_pid], false); judge() }
    :: d_step { late[_pid].what != NONE ->
        printf("    %d's late statement executes\n", _pid);
        execute(_pid, late[_pid], false); clear(late[_pid]); judge() }
#ifdef TTL_PATH
    :: d_step { PENDING(L[_pid]) ->
        printf("    %d's lease statement executes, expired\n", _pid); execute(_pid, L[_pid], true); judge() }
    :: d_step { late[_pid].what != NONE ->
        printf("    %d's late statement executes, expired\n", _pid);
        execute(_pid, late[_pid], true); clear(late[_pid]); judge() }
#endif
#endif

    /* No answer in time: the node forgets the statement. It is lost or has executed; or it executes later. */
    :: d_step { L[_pid].what != NONE -> printf("%d gives its lease statement up\n", _pid);
#ifdef RELEASE_WHILE_ACTING
        if
        :: L[_pid].what == RELEASE -> lose(_pid)
        :: else
        fi;
#endif
        clear(L[_pid]) }
    :: d_step { PENDING(L[_pid]) && LINGERS(L[_pid]) && late[_pid].what == NONE ->
        printf("%d gives its lease statement up, which is still under way\n", _pid);
        late[_pid].what = L[_pid].what; late[_pid].phase = L[_pid].phase;
#ifdef CLOCK
        late[_pid].began = L[_pid].began;
#endif
        clear(L[_pid]) }
    :: d_step { late[_pid].what != NONE -> clear(late[_pid]) }

    /* The answer. */
    :: d_step { EXECUTED(L[_pid]) ->
        printf("%d is answered on its lease statement\n", _pid);
        if
        :: L[_pid].vain
        :: else ->
            if
            :: L[_pid].what == SEIZE && NEWER(_pid, L[_pid]) -> promote(_pid, L[_pid])
            :: L[_pid].what == CONFIRM && NEWER(_pid, L[_pid]) ->
                promote(_pid, L[_pid]);
#ifdef GUARD_PATH
                guarded[_pid] = L[_pid].armed
#endif
            :: (L[_pid].what == RENEW || L[_pid].what == CONFIRM) && L[_pid].phase == MATCHED &&
                held[_pid] == (L[_pid].same -> CURRENT : STALE) ->
#ifdef RENEWAL_RESUMES
                ping[_pid] = MAX(ping[_pid], LEFT(D(_pid), SPENT(L[_pid])));
#endif
                trust_lease(_pid, L[_pid])
            :: L[_pid].what == RENEW && L[_pid].phase == REFUSED -> lose(_pid)
#ifdef GUARD_PATH
            :: L[_pid].what == DISARM -> SAW(3); guarded[_pid] = 0; ping[_pid] = 0
#endif
            :: else
            fi
        fi;
        clear(L[_pid]); judge() }

#ifdef GUARD_PATH
    :: d_step { !granted[_pid] && LOCK(_pid) == 0 ->
        printf("%d is granted the lock\n", _pid); LOCK(_pid) = CUR(_pid); granted[_pid] = 1;
        /* The lock has moved on, and no arm of an earlier session at this server can match any more. */
#if defined(ROAMING) && !defined(SETTLED_ANYWHERE)
        loose[_pid] = (loose[_pid] && loose_at[_pid] != SERVER(_pid));
        loose_at[_pid] = (loose[_pid] -> loose_at[_pid] : 0);
#else
        loose[_pid] = 0;
#endif
#if !defined(OTHER_SESSION) && !defined(WAIT_FROM_REQUEST)
        since[_pid] = 0
#endif
        }
    :: d_step { G[_pid].what == NONE && granted[_pid] && !HOLDS(_pid) && LOCK(_pid) == CUR(_pid) ->
        printf("%d releases the lock\n", _pid); granted[_pid] = 0; since[_pid] = 0; LOCK(_pid) = 0 }
#ifdef NO_LOCK_TEST
#define FORGETFUL true
#else
#define FORGETFUL granted[_pid]
#endif
    /* It reads the row and seizes. Had it read the row before, since the grant, it would have read the same. */
    :: d_step { G[_pid].what == NONE && FORGETFUL && !HOLDS(_pid) && owner != 0 && ARMED(SERVER(_pid)) &&
        guard != CUR(_pid) && WAITED(_pid) ->
        printf("%d seizes early\n", _pid); send(G[_pid], EARLY) }
    :: d_step { G[_pid].what == NONE && granted[_pid] && held[_pid] == CURRENT && !armed[_pid] && QUIET(_pid) ->
        printf("%d arms\n", _pid);
        if
#ifdef GUARDED_FROM_REPLY
        :: true
#elif defined(REARMED_FROM_REQUEST)
        :: true -> guarded[_pid] = 1; ping[_pid] = D(_pid)
#else
        /* Whoever can use this arm is granted the lock after it. So it bounds nobody sooner than d from now. */
        :: !guarded[_pid] -> guarded[_pid] = 1; ping[_pid] = D(_pid)
        :: else
#endif
        fi;
        send(G[_pid], ARM); judge() }
    /* A ping executes when it is sent: one that executes later would prove less. */
    :: d_step { G[_pid].what == NONE && HOLDS(_pid) && guarded[_pid] && granted[_pid] && LOCK(_pid) == CUR(_pid) &&
#ifdef PINGED_UNARMED
        true ->
#else
        armed[_pid] ->
#endif
        printf("%d pings\n", _pid); send(G[_pid], PING); G[_pid].phase = MATCHED }

    /* The guard session's statement, at the server. */
    :: d_step { G[_pid].what == ARM && G[_pid].phase == SENT ->
        printf("    %d's arm executes\n", _pid);
        if
        :: owner == _pid + 1 && MAY_ARM(_pid, CUR(_pid)) ->
            if
            :: guard == OVER -> SAW(2)
            :: else
            fi;
            arm_row(_pid, CUR(_pid), SERVER(_pid)); match(G[_pid])
        :: else -> refuse(G[_pid])
        fi }
    :: d_step { G[_pid].what == EARLY && G[_pid].phase == SENT ->
        printf("    %d's early seizure executes\n", _pid);
        if
        :: ARMED(SERVER(_pid)) && guard != CUR(_pid) && LOCKED(SERVER(_pid), CUR(_pid)) ->
            SAW(1); match(G[_pid]); seize_early(_pid, CUR(_pid), SERVER(_pid)); G[_pid].same = 1
        :: else -> refuse(G[_pid])
        fi;
        judge() }
    :: d_step { old[_pid] == ARM ->
        printf("    %d's arm executes late, on its old session\n", _pid); old[_pid] = NONE;
        if
        :: owner == _pid + 1 && OLD_LOCK(_pid) == OLD(_pid) -> arm_row(_pid, OLD(_pid), OLD_SERVER(_pid))
        :: else
        fi }
    :: d_step { old[_pid] == EARLY ->
        printf("    %d's early seizure executes late, on its old session\n", _pid); old[_pid] = NONE;
        if
        :: ARMED(OLD_SERVER(_pid)) && guard != OLD(_pid) && LOCKED(OLD_SERVER(_pid), OLD(_pid)) ->
            SAW(4); seize_early(_pid, OLD(_pid), OLD_SERVER(_pid))
        :: else
        fi;
        judge() }

    /* The server ends a session: killed, silent for too long, or it learnt that its client had gone. */
    :: d_step { LOCK(_pid) == CUR(_pid) -> printf("    %d's guard session ends\n", _pid);
        end_session(SERVER(_pid), CUR(_pid)) }
    :: d_step { OLD_LOCK(_pid) == OLD(_pid) -> printf("    %d's old guard session ends\n", _pid);
        old[_pid] = NONE; end_session(OLD_SERVER(_pid), OLD(_pid)) }
    /* The node gives its session up and makes another; the server may not know of that for long. */
    :: d_step { granted[_pid] && (OLD_LOCK(_pid) != OLD(_pid) || LOCK(_pid) != CUR(_pid)) ->
        printf("%d gives its guard session up and makes another\n", _pid);
#ifdef ROAMING
        loose_at[_pid] = (!loose[_pid] && G[_pid].what == ARM && !G[_pid].vain -> SERVER(_pid) : loose_at[_pid]);
#endif
        loose[_pid] = (loose[_pid] || (G[_pid].what == ARM && !G[_pid].vain));
        if
        :: LOCK(_pid) == CUR(_pid) ->
            LOCK(_pid) = OLD(_pid);
#ifdef ROAMING
            old_at[_pid] = at[_pid];
#endif
            guard = (guard == CUR(_pid) -> OLD(_pid) : guard);
            old[_pid] = (PENDING(G[_pid]) -> G[_pid].what : NONE)
        :: else
        fi;
        granted[_pid] = 0; armed[_pid] = 0;
#ifndef OTHER_SESSION
        since[_pid] = 0;
#endif
        clear(G[_pid]) }

#ifdef ROAMING
    :: d_step { !granted[_pid] -> printf("%d's next guard session is at another server\n", _pid);
        at[_pid] = (at[_pid] + 1) % SERVERS }
#endif

    /* The answer. */
    :: d_step { EXECUTED(G[_pid]) ->
        printf("%d is answered on its guard statement\n", _pid);
        if
        :: G[_pid].vain
        :: !G[_pid].vain && G[_pid].what == PING && HOLDS(_pid) ->
            ping[_pid] = MAX(ping[_pid], LEFT(D(_pid), SPENT(G[_pid])))
        :: !G[_pid].vain && G[_pid].what == ARM && HOLDS(_pid) -> trust_guard(_pid, G[_pid])
        :: !G[_pid].vain && G[_pid].what == EARLY && NEWER(_pid, G[_pid]) ->
            promote(_pid, G[_pid]); trust_guard(_pid, G[_pid])
        :: !G[_pid].vain && G[_pid].what == EARLY && held[_pid] == CURRENT && G[_pid].same ->
            /* confirmed already, on the lease session */
            trust_lease(_pid, G[_pid]); trust_guard(_pid, G[_pid])
        :: else
        fi;
        clear(G[_pid]); judge() }
#endif
    od
}

/* ------------------------------------------------------------------------------------------------------------- time */

#ifdef CLOCK
inline shift(by)
{
    age = (age + by > OLDEST -> OLDEST : age + by);
    for (k : 0 .. N - 1) {
        L[k].began = (L[k].what != NONE && L[k].phase == STARTED -> L[k].began + by : 0);
        late[k].began = (late[k].what != NONE && late[k].phase == STARTED -> late[k].began + by : 0)
    }
    k = 0
}

#define SWIFT(i) (L[i].began < STALL && late[i].began < STALL)
#if N == 2
#define MAY_PASS (SWIFT(0) && SWIFT(1))
#else
#define MAY_PASS (SWIFT(0) && SWIFT(1) && SWIFT(2))
#endif
#else
#define MAY_PASS true
#endif

active proctype world()
{
    do
    :: d_step { MAY_PASS ->
        printf("-- a tick\n");
#ifdef CLOCK
        shift(1);
#endif
        for (k : 0 .. N - 1) {
#ifdef TTL_PATH
            SPEND(lease[k]);
            seen[k] = (seen[k] > 0 && seen[k] <= TTL -> seen[k] + 1 : seen[k]);
            if
            :: L[k].what == SEIZE || L[k].what == RENEW || L[k].what == CONFIRM -> GROW(L[k].spent, TTL)
            :: else
            fi;
#ifdef OBSERVED_FROM_REQUEST
            asked[k] = (asked[k] > 0 && asked[k] <= TTL -> asked[k] + 1 : asked[k]);
#endif
#endif
#ifdef GUARD_PATH
            SPEND(ping[k]);
            if
#ifdef WAIT_FROM_REQUEST
            :: true -> GROW(since[k], D0)
#endif
            :: granted[k] || since[k] > 0 -> GROW(since[k], D0)
            :: else
            fi;
            if
#ifdef TTL_PATH
            :: G[k].what == EARLY -> GROW(G[k].spent, (TTL > D0 -> TTL : D0))
#endif
            :: G[k].what != NONE -> GROW(G[k].spent, D(k))
            :: else
            fi
#endif
        }
        k = 0 }
#ifdef CLOCK
#if STEP > 0
    :: d_step { skew <= 0 -> printf("-- the database's clock steps forward\n"); skew = skew + STEP; shift(STEP) }
    :: d_step { skew >= 0 -> printf("-- the database's clock steps back\n"); skew = skew - STEP; shift(-STEP) }
#endif
#endif
    od
}
