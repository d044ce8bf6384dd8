import { type Actor, dayOf } from '../../../api/index.ts'
import type { ListContext } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Group } from '../../groups/index.ts'
import { callerOf, hasFewProjects, type Project } from '../../projects/index.ts'
import type { IssuableType } from '../issuable.ts'

/** The project or group of a list; without one, the instance. */
export type ListParent = { project?: Project; group?: Group }

/** Which issuables of a group and of the groups below it are new. @property since ISO text @property most a larger count is this */
export type NewInGroup = { group: Group; since: string; most: number }

/** A table of issuables, and their type in the tables that refer to them. */
export type Listed = { table: 'issues' | 'merge_requests' | 'epics'; type: IssuableType }

/** What the filters of a list depend on besides the parameters. */
export type IssuableContext = ListContext &
  Listed & {
    actor: Actor
    /** The caller with their roles. */
    caller: Awaited<ReturnType<typeof callerOf>>
    /** The current day in UTC. */
    today: string
  }

/** Reading so many rows of the instance in the order of a list takes longer than reading the first ones of a project. */
const rowsForProject = 16

/** The context of a list of issues or merge requests. */
export async function listContext(
  platform: Platform,
  actor: Actor,
  listed: { table: 'issues' | 'merge_requests'; type: IssuableType },
  { project, group }: ListParent,
): Promise<IssuableContext> {
  const { read: db } = platform.database
  const today = dayOf(platform.clock.now())
  const caller = { ...(await callerOf(db, actor, today)), ...(group && { least: group.level }) }
  const hasFewParents = group !== undefined && (await hasFewProjects(db, group.id, listed.table, rowsForProject))
  const parent = project && { parent: { column: 'project_id', id: project.id } }
  return { ...listed, db, actor, caller, today, hasFewParents, ...parent }
}
