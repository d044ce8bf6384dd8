import type { Operation, ServedRoute, Service } from '../api/index.ts'
import type { AnyJob } from './jobs.ts'
import type { Platform } from './platform.ts'

/** Compares what a module has stored with itself. Yields one sentence for each problem. */
export type Check = (platform: Platform) => AsyncIterable<string> | Promise<readonly string[]>

/** What a domain offers; its line in `modules.ts` mounts it. */
export type Module = {
  readonly name: string
  readonly operations: readonly Operation[]
  readonly jobs?: readonly AnyJob[]
  /** Answers requests outside the API, such as git over HTTP. Opened in the order of `modules.ts`, before the API. */
  readonly services?: readonly ((platform: Platform) => Service)[]
  /** Documents what the services answer. */
  readonly routes?: readonly ServedRoute[]
  /** Run by `fennec check`. */
  readonly checks?: readonly Check[]
}
