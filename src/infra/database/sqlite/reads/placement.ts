import type { Walk } from './walks.ts'

/** Where a statement runs, and what is known about how long it takes. */
export type Placement = {
  readonly text: string
  /** Not known as long as it is of no interest. */
  walk: Walk | undefined
  inThread: boolean
  /** Whether its last run took long. */
  isSlow: boolean
  /** Quick runs one after the other, in a thread. */
  quickRuns: number
  /** How many of them bring it back. */
  neededRuns: number
}

/** A run in a thread that is so quick costs more by going there than by itself. */
const quickMs = 0.5

/** Here, runs that take longer would hold up other requests. */
const longHereMs = 5

/** The same for statements that walk through small tables only: they take so long mostly because the machine is busy. */
const longOverSmallMs = 50

/** A run that takes longer makes a statement slow. */
const slowMs = 30

const firstNeededRuns = 20
const mostNeededRuns = 20_000

/** What is asked about the database. */
export type Facts = {
  /** Whether reading all of it takes no time that matters. */
  isSmall(): boolean
  /** Whether a table has many rows. */
  isLarge(table: string): boolean
  /** How a statement reads. */
  walkOf(text: string): Walk
}

/** Decides where statements run, by the sizes of the tables that they walk through and by the time that their runs took. */
export type Placements = {
  /** The placement of a statement that has not run yet. */
  first(text: string): Placement
  /** Notes a run outside of threads. */
  ranHere(placement: Placement, ms: number): void
  /** Notes a run in a thread. */
  ranInThread(placement: Placement, ms: number): void
}

/**
 * A statement that may be slow starts in a thread: one that walks through a large table. It comes back after some quick runs, and goes
 * to a thread again after a long one; then it needs ten times as many. So the event loop is held up seldom, whatever the
 * parameters are. Statements that look single rows up stay here.
 */
export function placements({ isSmall, isLarge, walkOf }: Facts): Placements {
  const isOverLarge = ({ tables }: Walk) => tables.some(isLarge)
  return {
    first(text) {
      const walk = isSmall() ? undefined : walkOf(text)
      const inThread = walk !== undefined && isOverLarge(walk)
      return { text, walk, inThread, isSlow: false, quickRuns: 0, neededRuns: firstNeededRuns }
    },
    ranHere(placement, ms) {
      if (ms <= longHereMs) return
      placement.walk ??= walkOf(placement.text)
      if (placement.walk.isPoint || (ms <= longOverSmallMs && !isOverLarge(placement.walk))) return
      placement.inThread = true
      placement.isSlow = ms > slowMs
      placement.quickRuns = 0
      placement.neededRuns = Math.min(placement.neededRuns * 10, mostNeededRuns)
    },
    ranInThread(placement, ms) {
      placement.isSlow = ms > slowMs
      placement.quickRuns = ms <= quickMs ? placement.quickRuns + 1 : 0
      if (placement.quickRuns < placement.neededRuns) return
      placement.inThread = false
      placement.quickRuns = 0
    },
  }
}
