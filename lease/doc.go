// Package lease keeps compaction leases on disk: at most one holder per key
// among all processes of a machine that share one directory.
//
// # Files
//
//	<dir>/context_lease/<encoded key>.json   {"nonce":"…","ts":1700000000000}
//	<dir>/context_lease/.<stripe>.<rand>.tmp a claim being written
//	<dir>/locks/<stripe>.lock                256 of them, created on demand, never deleted
//
// ts is the holder's last stamp in milliseconds since the Unix epoch, and the
// nonce is a random name for one acquisition. A claim does not record a
// duration: whoever looks at it applies its own TTL, so a shorter TTL set by
// the operator takes effect on claims that already stand.
//
// # States of one key
//
//	         Acquire                      stamp + TTL passes
//	FREE ───────────────▶ HELD ─────────────────────────────▶ EXPIRED
//	 ▲ ▲                  │  ▲ ▲                               │ │ │
//	 │ │     Release      │  │ │     Renew, Check (nonce ours) │ │ │
//	 │ └──────────────────┘  │ └───────────────────────────────┘ │ │
//	 │                       └───────────────────────────────────┘ │
//	 │                     Acquire by another: the old holder LOST │
//	 └─────────────────────────────────────────────────────────────┘
//	                      Release, or Sweep after MaxTTL
//
// Live means now − ts < TTL: with a TTL of 300 s a claim is live at 299,999 ms
// and free at 300,000 ms. A file that cannot be read as a claim is free.
//
// # The invariant
//
// Between the stamp that Acquire or Renew wrote and that stamp + TTL nobody
// else acquires the key. Every transition reads, decides and writes under the
// lock of the key's stripe (the first byte of the key's SHA-256), so no
// transition can undo one that it has not seen: there is no put-back. The lock
// is two locks. A file lock excludes other processes; a semaphore in the Store
// queues this process's goroutines, which could otherwise starve one another
// on the polled file lock. Neither is held while the holder works, and this is
// the one place where a lock is held over input and output.
//
// What a holder does after its claim expired is fenced by the nonce: Renew,
// Check and Release act only while the file still carries their nonce. Call
// Renew well within the TTL (a third of it) while the work goes on, and Check
// before its result is used.
//
// # The crash story
//
// Expiry, not cleanup. What happens when something stops half-way:
//
//	holder killed, or power lost         the claim stays and is free at stamp + TTL
//	killed while a claim was written     a .tmp file stays; rename is atomic, so the
//	                                     claim is the old one or the new one, whole
//	killed while a stripe was locked     the system drops the file lock with the process
//	stopped (SIGSTOP) while locking      others wait as long as their context allows
//	power lost during a write            file and directory are flushed before Acquire
//	                                     returns; a torn file would read as free
//	clock set back                       a stamp in the future is written anew as the
//	                                     present by the first who meets it, so that it
//	                                     blocks for one TTL from then and no longer
//	claim file deleted by hand           the holder finds its lease lost
//	directory deleted, disk full, …      an error; nobody acquires (the work is skipped,
//	                                     never done twice). The directories are not made
//	                                     again, because a second set of lock files would
//	                                     exclude nobody who holds one of the first
//
// Network file systems are not supported. On NFS and its like an advisory lock
// may be local to one client, rename may be seen late, and clocks differ; two
// holders are possible there. Put the directory on a local disk. Keys that
// differ only in case share a file where the file system folds case; they can
// then make each other wait or lose a lease, nothing worse.
package lease
