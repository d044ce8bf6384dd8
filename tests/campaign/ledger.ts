/**
 * What a client was told of each thing (a branch, an issue, a file …), and what it had asked for when the server died. After a restart a
 * thing must be what was acknowledged last, or what was under way then; nothing else.
 */
export type Ledger = {
  /** Something is about to be asked for: the thing may become this, or go (null). */
  begin(name: string, wanted: string | null): void
  /** The server said yes. @param value what the thing is now; null when it is gone */
  acknowledge(name: string, value: string | null): void
  /** The server said no, so nothing may have changed. */
  refuse(name: string): void
  /** Whether something was asked for, and not answered yet. */
  isUnderWay(name: string): boolean
  /** The things that are there by all that is known, and begin with a prefix. */
  names(prefix?: string): string[]
  /** What a thing is, by all that is known; null when it is not there. */
  valueOf(name: string): string | null
  /** The things that were asked for or acknowledged since the last comparison. */
  touched(): string[]
  /** How often the server said yes. */
  acknowledged(): number
  /**
   * Compares with what is there, and takes it as the new truth.
   * @param actual values by name
   * @param among what is compared besides what is there; default: everything
   * @returns what is wrong, one sentence each
   */
  settle(actual: ReadonlyMap<string, string>, among?: readonly string[]): string[]
}

/** Stands for a value that the client could not know beforehand: a commit made by the server. */
export const anyHead = 'any'

export function openLedger(): Ledger {
  const known = new Map<string, string | null>()
  const underWay = new Map<string, string | null>()
  const touched = new Set<string>()
  let count = 0

  function isPlausible(name: string, value: string | null): boolean {
    if (value === (known.get(name) ?? null)) return true
    if (!underWay.has(name)) return false
    const wanted = underWay.get(name) ?? null
    return wanted === value || (wanted === anyHead && value !== null)
  }

  return {
    begin(name, wanted) {
      underWay.set(name, wanted)
      touched.add(name)
    },
    acknowledge(name, value) {
      known.set(name, value)
      underWay.delete(name)
      touched.add(name)
      count += 1
    },
    refuse: (name) => void underWay.delete(name),
    isUnderWay: (name) => underWay.has(name),
    names: (prefix = '') =>
      [...known].flatMap(([name, value]) => (value === null || !name.startsWith(prefix) ? [] : [name])),
    valueOf: (name) => known.get(name) ?? null,
    touched: () => [...touched],
    acknowledged: () => count,
    settle(actual, among = [...known.keys(), ...underWay.keys()]) {
      const names = new Set([...among, ...actual.keys()])
      const problems = [...names].flatMap((name) => {
        const value = actual.get(name) ?? null
        if (isPlausible(name, value)) return []
        return [`${name} is ${value}, ${known.get(name) ?? null} was acknowledged, ${underWay.get(name)} under way`]
      })
      for (const name of names) {
        known.set(name, actual.get(name) ?? null)
        underWay.delete(name)
        touched.delete(name)
      }
      return problems
    },
  }
}
