/**
 * The time limits of runs. A change that hangs is ended by them; a test that is only slow is not, because the machine may be busy.
 */

/** Of a test and of a hook of an unchanged run: it hangs only if it is broken. */
export const unchangedLimitMs = 300_000

/**
 * Of a test and of a hook of a changed run.
 * @param unchangedMs how long the whole file of tests took without a change, on the same machine in the same load
 */
export const limitOf = (unchangedMs: number) => Math.min(15_000 + 5 * Math.round(unchangedMs), unchangedLimitMs)

/** Of a wait for a condition in a test that has this limit; its failure says more than that of the test. */
export const pollLimitOf = (limitMs: number) => limitMs / 3

/** A process that says nothing for so long hangs: it has loaded the server, and a hook and a test may have reached their limits. */
export const longestSilenceMs = (limitsMs: readonly number[]) => 60_000 + 3 * Math.max(...limitsMs)
