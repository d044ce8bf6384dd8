/** Reads portions row by row, so that they can be divided at any place. */
export class Rows<Row> implements AsyncDisposable {
  readonly #portions: AsyncIterator<readonly Row[]>
  #portion: readonly Row[] = []
  #next = 0

  constructor(portions: AsyncIterable<readonly Row[]>) {
    this.#portions = portions[Symbol.asyncIterator]()
  }

  /** Whether there are no more rows. */
  async isAtEnd(): Promise<boolean> {
    while (this.#next >= this.#portion.length) {
      const { done, value } = await this.#portions.next()
      if (done) return true
      this.#portion = value
      this.#next = 0
    }
    return false
  }

  /** Yields the next rows in portions, at most `limit` in all. */
  async *take(limit: number): AsyncGenerator<readonly Row[]> {
    for (let left = limit; left > 0 && !(await this.isAtEnd()); ) {
      const rows = this.#portion.slice(this.#next, this.#next + left)
      this.#next += rows.length
      left -= rows.length
      yield rows
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#portions.return?.()
  }
}
