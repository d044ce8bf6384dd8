/** A configuration takes more work than may be done between requests. */
export class BudgetExceeded extends Error {
  override name = 'BudgetExceeded'
}

/** How much of each kind of work takes a few hundredths of a second at most. */
const limits = { characters: 16_384, values: 10_000, paths: 2_000 }

/** The work that one configuration may cause on the thread that serves requests. */
export class Budget {
  readonly #left = { ...limits }

  /** @throws BudgetExceeded */
  spend(kind: keyof typeof limits, amount: number): void {
    this.#left[kind] -= amount
    if (this.#left[kind] < 0) throw new BudgetExceeded(`more than ${limits[kind]} ${kind}`)
  }
}
