import type { RepositoryRow } from '../../../platform/repositories/index.ts'
import type { Project } from '../../projects/index.ts'
import type { TargetWords } from './refusals.ts'

/** What the path of a repository names: the code of a project, its wiki, the wiki of a group, or a snippet. */
export type Target = {
  /** Null for the wiki of a group, and for snippets. */
  project: Project | null
  /** The sentences that differ between targets. */
  words: TargetWords
  /** The current path, without `.git`. */
  fullPath: string
  /** Whether it was found by a former path. */
  moved: boolean
  isSeen: boolean
  mayRead: boolean
  mayPush: boolean
  /** Whether it is archived or about to be deleted. */
  refusesWrites: boolean
  /** Whether the feature is enabled; deploy keys and tokens depend on nothing else. */
  isOn: boolean
  /** The groups above it. */
  groupIds(): Promise<number[]>
  row(): Promise<RepositoryRow | null>
}
