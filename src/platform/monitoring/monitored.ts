import type { LoadSample } from './load.ts'

/** A part of the server that does not work, as the readiness probe names it. */
export type Failing = {
  check: 'master' | 'db' | 'git' | 'storages' | 'object_store' | 'primary' | 'promotion'
  /** One sentence without details: all clients can read it. */
  message: string
  /** The name of a storage. */
  shard?: string
  /** Whether the server serves all the same, so that it is ready. */
  isBearable?: boolean
}

/** What the pages for monitoring, and those for administrators, show of a server. */
export type Monitored = {
  isAlive(): Promise<boolean>
  /** What keeps authorised calls from working now. */
  failing(): Promise<readonly Failing[]>
  metricsText(): Promise<string>
  /** The full minutes of the last hours, the oldest first. */
  load(): Promise<readonly LoadSample[]>
}
