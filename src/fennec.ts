/// <reference lib="esnext.disposable" preserve="true" />
import type { Clock } from './infra/clock/index.ts'

/** The options of a server in this process. */
export type FennecOptions = {
  /** Port to listen on; a free one unless told. */
  port?: number
  /** Port for git over SSH, 0 for a free one; it is not served unless told. */
  sshPort?: number
  /** Token of root; made up unless told. At least 20 characters. */
  rootToken?: string
  rootPassword?: string
  /** `postgres://…` to use that database instead of one that goes with the server. */
  databaseUrl?: string
  /** `s3://bucket/prefix?…` to store large objects there instead of in files that go with the server. */
  objectsUrl?: string
  /** Where the log goes; nowhere unless told. */
  logLevel?: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** Further settings by the names of their environment variables, such as `FENNEC_REGISTRY`. */
  settings?: Record<string, string>
  /** Time as the server sees it, for tests that drive it. */
  clock?: Clock
  /**
   * Whether it begins with the world of `fennec demo`: people, groups and projects with four months of work, which takes some seconds.
   * All people have the password `harbour-lights-7`. `reset()` empties the world as everything else, and leaves `root` alone.
   */
  demo?: boolean
}

/** A server in this process that keeps nothing. */
export type Fennec = AsyncDisposable & {
  /** `http://127.0.0.1:…` */
  url: string
  /** A token with which one is `root`, with all scopes. */
  rootToken: string
  /** Empties everything, in milliseconds; the server, its address and its root token stay. */
  reset(): Promise<void>
  stop(): Promise<void>
}
