import { type Actor, dayOf } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { canSeeGroup, type Group, mayInGroup, settingsOfGroup, withLevel } from '../groups/index.ts'
import { ancestorsOf, findRoute, namespaceById, type Route } from '../namespaces/index.ts'
import { canSee, may, type Project, projectById, refusesWrites, settingsOf, withRole } from '../projects/index.ts'
import { type RepositoryRow, repositoryOfProject } from '../repositories/index.ts'
import type { WikiOwner } from '../wikis/index.ts'

/** What the path of a repository leads to: the code of a project, its wiki, or the wiki of a group. */
export type Target = {
  /** Null for the wiki of a group. */
  project: Project | null
  /** The path as it is now, without `.git`. */
  fullPath: string
  /** Whether it was reached by a path of before. */
  moved: boolean
  isSeen: boolean
  mayRead: boolean
  mayPush: boolean
  /** Whether nobody may write to it for the time being. */
  refusesWrites: boolean
  /** Whether what a project's own keys and tokens open is there at all. */
  isOn: boolean
  /** The groups to which it belongs, however far above. */
  groupIds(): Promise<number[]>
  row(): Promise<RepositoryRow | null>
}

export type TargetNeeds = {
  database: Database
  clock: Clock
  /** The repository of a wiki; made where it is missing, if it may be. */
  wikiOf(owner: WikiOwner, options: { make: boolean }): Promise<RepositoryRow | null>
}

const wikiEnding = '.wiki'

/** Whether a path is that of a wiki, should there be something to which the wiki belongs. */
export function isWikiPath(fullPath: string): boolean {
  return fullPath.toLowerCase().endsWith(wikiEnding)
}

/** Finds what paths of repositories lead to, and what somebody may do there (contract 22, the table of the transport). */
export function createTargets({ database, clock, wikiOf }: TargetNeeds) {
  const db = database.read

  const idsAbove = async (namespaceId: number) => (await ancestorsOf(db, namespaceId)).map(({ id }) => id)

  function ofProject(project: Project, actor: Actor, moved: boolean): Target {
    return {
      project,
      fullPath: project.full_path,
      moved,
      isSeen: canSee(actor, project),
      mayRead: may(actor, project, 'read_code'),
      mayPush: may(actor, project, 'push_code'),
      refusesWrites: refusesWrites(project),
      isOn: settingsOf(project).repository_access_level !== 'disabled',
      groupIds: () => idsAbove(project.namespace_id),
      row: () => repositoryOfProject(db, project.id),
    }
  }

  function wikiOfProject(project: Project, actor: Actor, moved: boolean): Target {
    return {
      ...ofProject(project, actor, moved),
      fullPath: `${project.full_path}${wikiEnding}`,
      mayRead: may(actor, project, 'read_wiki'),
      mayPush: may(actor, project, 'write_wiki'),
      isOn: settingsOf(project).wiki_access_level !== 'disabled',
      row: () => wikiOf({ project }, { make: true }),
    }
  }

  function wikiOfGroup(group: Group, actor: Actor, moved: boolean): Target {
    const mayPush = mayInGroup(actor, group, 'write_wiki')
    return {
      project: null,
      fullPath: `${group.full_path}${wikiEnding}`,
      moved,
      isSeen: canSeeGroup(actor, group),
      mayRead: mayInGroup(actor, group, 'read_wiki'),
      mayPush,
      refusesWrites: group.marked_for_deletion_on !== null,
      isOn: settingsOfGroup(group).wiki_access_level !== 'disabled',
      groupIds: () => idsAbove(group.id),
      // It begins with its first page, or when somebody who may write one asks for it.
      row: () => wikiOf({ group }, { make: mayPush }),
    }
  }

  async function projectAt(route: Route | null, actor: Actor): Promise<Project | null> {
    const row = route?.projectId ? await projectById(db, route.projectId) : null
    return row && !row.pending_delete ? withRole(db, row, actor, dayOf(clock.now())) : null
  }

  async function groupAt(route: Route | null, actor: Actor): Promise<Group | null> {
    const row = route?.namespaceId ? await namespaceById(db, route.namespaceId) : null
    return row?.kind === 'group' && !row.pending_delete ? withLevel(db, row, actor, dayOf(clock.now())) : null
  }

  /** @param fullPath as the client wrote it, without `.git` */
  return async function find(fullPath: string, actor: Actor): Promise<Target | null> {
    const route = await findRoute(db, fullPath)
    const project = await projectAt(route, actor)
    if (project) return ofProject(project, actor, route?.redirect ?? false)
    if (!isWikiPath(fullPath)) return null
    const above = await findRoute(db, fullPath.slice(0, -wikiEnding.length))
    const moved = above?.redirect ?? false
    const ofWhich = await projectAt(above, actor)
    if (ofWhich) return wikiOfProject(ofWhich, actor, moved)
    const group = await groupAt(above, actor)
    return group && wikiOfGroup(group, actor, moved)
  }
}
