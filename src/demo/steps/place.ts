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
  /** The texts of its branches, as they are so far. */
  branches: Map<string, Texts>
}
