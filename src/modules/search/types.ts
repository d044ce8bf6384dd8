import type { PageRequest, RequestInfo, UserActor } from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { Group } from '../groups/index.ts'
import type { Project } from '../projects/index.ts'
import type { SearchParams } from './params.ts'

/** Where a search looks: in a project, in a group and below it, or in the instance. */
export type SearchPlace = { project?: Project; group?: Group }

/** A search with its caller. */
export type Search = {
  platform: Platform
  actor: UserActor
  place: SearchPlace
  params: SearchParams
  /** The words of the text, each once. */
  terms: readonly string[]
  request: RequestInfo
  page: PageRequest
}
