/** The state of the changes in a process that runs tests. */
export type Switch = {
  /** The number of the change that is made; 0 for none. */
  active: number
  /** The numbers of the changes whose places were reached. */
  reached: Set<number>
  /** How many times the place of the active change was reached. */
  count: number
}

/** A loop that a change made endless is ended after so many turns. */
const mostTurns = 1_000_000

declare global {
  var mutation: Switch | undefined
  var $m: ((id: number) => boolean) | undefined
}

/** Installs `$m`, which changed files ask whether a change is to be made. */
export function installSwitch(): Switch {
  const state: Switch = { active: 0, reached: new Set(), count: 0 }
  globalThis.mutation = state
  globalThis.$m = (id) => {
    if (state.active === 0) state.reached.add(id)
    if (state.active !== id) return false
    state.count += 1
    if (state.count > mostTurns) throw new Error('The changed place was reached too often')
    return true
  }
  return state
}
