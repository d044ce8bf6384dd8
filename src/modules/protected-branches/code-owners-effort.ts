import { setImmediate as nextTurn } from 'node:timers/promises'

/** A push whose files cannot be compared with `CODEOWNERS` in bearable time. It is refused: what was not looked at must not get in. */
export class TooMuchEffort extends Error {
  constructor() {
    super(
      'The push is too large to be checked against `CODEOWNERS`. Push fewer changes at a time, or simplify the file.',
    )
    this.name = 'TooMuchEffort'
  }
}

/** Steps that one push may take in all: some seconds. */
const stepsPerPush = 500_000_000
/** Steps without others having a turn, which one comparison can take: well below a tenth of a second. */
const stepsAtOnce = 2_000_000
/** How long is worked before others get their turn, in milliseconds. */
const turnMs = 10

/** What one push may still cost, whatever the number of its branches, files and patterns. */
export type Effort = {
  /** Counts steps of one comparison, or of what comes between two. @throws TooMuchEffort */
  spend(steps: number): void
  /** Ends a comparison, and lets others have their turn when it is time; undefined when it is not. */
  pause(): Promise<void> | undefined
}

export function createEffort({ inAll = stepsPerPush, atOnce = stepsAtOnce } = {}): Effort {
  let [total, current, turn] = [0, 0, performance.now()]
  async function letOthers(): Promise<void> {
    await nextTurn()
    turn = performance.now()
  }
  return {
    spend(steps) {
      current += steps
      total += steps
      if (current > atOnce || total > inAll) throw new TooMuchEffort()
    },
    pause() {
      current = 0
      return performance.now() - turn < turnMs ? undefined : letOthers()
    },
  }
}

/** For what is known to be small. */
export const anyEffort: Effort = { spend() {}, pause: () => undefined }
