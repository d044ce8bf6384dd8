/**
 * What a client was told of each branch, and what it had asked for when the server died. After a restart a branch must be what was
 * acknowledged last, or what was under way then; nothing else.
 */
export type Ledger = {
  /** Something is about to be asked for: the branch may become this, or go (null). */
  begin(branch: string, wanted: string | null): void
  /** The server said yes. @param head what the branch is now; null when it is gone */
  acknowledge(branch: string, head: string | null): void
  /** The server said no, so nothing may have changed. */
  refuse(branch: string): void
  /** The branches that are there by all that is known. */
  branches(): string[]
  headOf(branch: string): string | null
  /**
   * Compares with what is there, and takes it as the new truth.
   * @param actual heads by branch
   * @returns what is wrong, one sentence each
   */
  settle(actual: ReadonlyMap<string, string>): string[]
}

/** Stands for a head that the client could not know beforehand: that of a commit made by the server. */
export const anyHead = 'any'

export function openLedger(): Ledger {
  const known = new Map<string, string | null>()
  const underWay = new Map<string, string | null>()

  function isPlausible(branch: string, head: string | null): boolean {
    if (head === (known.get(branch) ?? null)) return true
    if (!underWay.has(branch)) return false
    const wanted = underWay.get(branch) ?? null
    return wanted === head || (wanted === anyHead && head !== null)
  }

  return {
    begin: (branch, wanted) => void underWay.set(branch, wanted),
    acknowledge(branch, head) {
      known.set(branch, head)
      underWay.delete(branch)
    },
    refuse: (branch) => void underWay.delete(branch),
    branches: () => [...known].flatMap(([branch, head]) => (head === null ? [] : [branch])),
    headOf: (branch) => known.get(branch) ?? null,
    settle(actual) {
      const names = new Set([...known.keys(), ...underWay.keys(), ...actual.keys()])
      const problems = [...names].flatMap((branch) => {
        const head = actual.get(branch) ?? null
        if (isPlausible(branch, head)) return []
        return [
          `${branch} is at ${head}, ${known.get(branch) ?? null} was acknowledged, ${underWay.get(branch)} under way`,
        ]
      })
      for (const branch of names) known.set(branch, actual.get(branch) ?? null)
      underWay.clear()
      return problems
    },
  }
}
