import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { ImportStopped } from './clients/errors.ts'

/** What could not be brought, or not as it was. */
export type Problem = {
  /** The path of the group or project. */
  place: string
  /** Such as `issue #12`. */
  what: string
  /** A sentence. */
  reason: string
}

const schema = `
  PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS brought (key TEXT PRIMARY KEY, value TEXT) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS problems (key TEXT PRIMARY KEY, place TEXT NOT NULL, what TEXT NOT NULL, reason TEXT NOT NULL) STRICT`

/**
 * The file of an import, which knows what has been brought. A key without a value was begun, and it is not known whether it was
 * brought: the process may have ended in between.
 */
export class ImportState {
  readonly #database: DatabaseSync
  readonly #read: StatementSync
  readonly #write: StatementSync
  readonly #report: StatementSync
  readonly #clear: StatementSync

  /** @throws ImportStopped when another import uses the file, or it is one between other servers */
  constructor(file: string, servers: { source: string; target: string }) {
    this.#database = new DatabaseSync(file)
    try {
      this.#database.exec(schema)
      for (const [name, value] of Object.entries(servers)) this.#claim(file, name, value)
    } catch (error) {
      this.#database.close()
      if (!(error instanceof Error) || !/database is locked|not a database/.test(error.message)) throw error
      const isLocked = error.message.includes('locked')
      throw new ImportStopped(isLocked ? `another import uses ${file}` : `${file} is not the state of an import`)
    }
    this.#read = this.#database.prepare('SELECT value FROM brought WHERE key = ?')
    this.#write = this.#database.prepare('INSERT OR REPLACE INTO brought VALUES (?, ?)')
    this.#report = this.#database.prepare('INSERT OR REPLACE INTO problems VALUES (?, ?, ?, ?)')
    this.#clear = this.#database.prepare('DELETE FROM problems WHERE key = ?')
  }

  #claim(file: string, name: string, value: string): void {
    const found = this.#database.prepare('SELECT value FROM about WHERE name = ?').get(name)
    if (found && found.value !== value)
      throw new ImportStopped(`${file} belongs to an import with the ${name} ${found.value}`)
    this.#database.prepare('INSERT OR IGNORE INTO about VALUES (?, ?)').run(name, value)
  }

  /** What was stored for a key; null when it was only begun, undefined when it was not. */
  value(key: string): unknown {
    const found = this.#read.get(key)
    if (found === undefined) return undefined
    return typeof found.value === 'string' ? JSON.parse(found.value) : null
  }

  finish(key: string, value: string | number | object): void {
    this.#write.run(key, JSON.stringify(value))
    this.#clear.run(key)
  }

  /**
   * Makes something once, however often the process ends in between.
   * @param find looks for what an interrupted run may have made
   */
  async once<Value extends string | number | object>(
    key: string,
    { find, make }: { find: () => Promise<Value | null>; make: () => Promise<Value> },
  ): Promise<Value> {
    const known = this.value(key)
    if (known !== undefined && known !== null) return known as Value
    if (known === undefined) this.#write.run(key, null)
    const value = (known === null ? await find() : null) ?? (await make())
    this.finish(key, value)
    return value
  }

  reportProblem(key: string, { place, what, reason }: Problem): void {
    this.#report.run(key, place, what, reason)
  }

  solved(key: string): void {
    this.#clear.run(key)
  }

  /** Forgets the problems whose keys begin so. */
  solvedBelow(prefix: string): void {
    this.#database.prepare('DELETE FROM problems WHERE substr(key, 1, length(?)) = ?').run(prefix, prefix)
  }

  problems(): Problem[] {
    const rows = this.#database.prepare('SELECT place, what, reason FROM problems ORDER BY place, key').all()
    return rows as unknown as Problem[]
  }

  /** How many of each kind were brought: the first words of the keys that are complete. */
  counts(kinds: readonly string[]): Record<string, number> {
    const count = this.#database.prepare(
      'SELECT count(*) AS number FROM brought WHERE key >= ? AND key < ? AND value IS NOT NULL',
    )
    return Object.fromEntries(
      kinds.map((kind) => [kind, (count.get(`${kind} `, `${kind}!`) as { number: number }).number]),
    )
  }

  close(): void {
    this.#database.close()
  }
}
