import pg, { type PoolClient } from 'pg'

/** How long a query may run before the watchdog checks the server. */
const silenceMs = 2_000

/** How long the server may take to accept a connection before it counts as hung. */
const answerMs = 2_500

/**
 * Ends queries that a hung server would never answer. A slow query and a hung server look the same from the connection of
 * the query, so the watchdog opens another connection: when the server accepts that one, the query goes on.
 */
export class Watchdog {
  readonly #url: string
  #probe: Promise<boolean> | undefined

  constructor(url: string) {
    this.#url = url
  }

  /**
   * Watches a query that is about to be sent.
   * @returns a function that the caller must call when the query has ended
   */
  watch(client: PoolClient): () => void {
    let isRunning = true
    const check = async (): Promise<void> => {
      const isAlive = await this.#isServerAlive()
      if (!isRunning) return
      if (isAlive) timer = setTimeout(check, silenceMs)
      // Ends the connection at once when a query is running; the query rejects.
      else client.end(() => {})
    }
    let timer = setTimeout(check, silenceMs)
    return () => {
      isRunning = false
      clearTimeout(timer)
    }
  }

  #isServerAlive(): Promise<boolean> {
    this.#probe ??= acceptsConnections(this.#url).finally(() => {
      this.#probe = undefined
    })
    return this.#probe
  }
}

async function acceptsConnections(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: answerMs, application_name: 'fennec' })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch (error) {
    // An error that the server itself sent, such as "too many connections", shows that it is not hung.
    return error instanceof pg.DatabaseError
  } finally {
    client.end(() => {})
  }
}
