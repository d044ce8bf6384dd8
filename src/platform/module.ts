import type { Operation } from '../api/index.ts'
import type { AnyJob } from './jobs.ts'

/** What a domain offers: mounted by its line in `modules.ts`. */
export type Module = {
  readonly name: string
  readonly operations: readonly Operation[]
  readonly jobs?: readonly AnyJob[]
}
