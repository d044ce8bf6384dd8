import type { Texts } from './code/texts.ts'

/** Where something happens. */
export type Place = {
  name: string
  /** Full path of the project. */
  path: string
  id(): number
  /** Path of the project in the API. */
  base(): string
  /** Who plans its work. */
  by: string
  /** The names of those who may react in it. */
  audience: readonly string[]
  /** Whether its commits have pipelines. */
  hasPipelines: boolean
  /** The last commit of `main`; undefined before the first one. */
  head: string | undefined
  /** The ids of the objects that were pushed. */
  pushed: Set<string>
  /** The texts of its branches, as they are so far. */
  branches: Map<string, Texts>
}
