import { type Actor, ApiError, dayOf } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { repositoryOfProject } from '../../../platform/repositories/index.ts'
import { canSeeGroup, type Group, mayInGroup, settingsOfGroup, withLevel } from '../../groups/index.ts'
import { ancestorsOf, findRoute, namespaceById, type Route, refusesWritesIn } from '../../namespaces/index.ts'
import { canSee, may, type Project, projectById, refusesWrites, settingsOf, withRole } from '../../projects/index.ts'
import { ensureWiki, findWiki } from '../../wikis/index.ts'
import { projectWords } from './refusals.ts'
import { parseSnippetPath, snippetTarget } from './snippet-target.ts'
import type { Target } from './target.ts'

const wikiEnding = '.wiki'

/** Whether a path has the form of a wiki's path. */
export function isWikiPath(fullPath: string): boolean {
  return fullPath.toLowerCase().endsWith(wikiEnding)
}

const idsAbove = async (db: Reader, namespaceId: number) => (await ancestorsOf(db, namespaceId)).map(({ id }) => id)

function ofProject({ database }: Platform, project: Project, actor: Actor, moved: boolean): Target {
  return {
    project,
    words: projectWords,
    fullPath: project.full_path,
    moved,
    isSeen: canSee(actor, project),
    mayRead: may(actor, project, 'read_code'),
    mayPush: may(actor, project, 'push_code'),
    refusesWrites: refusesWrites(project),
    isOn: settingsOf(project).repository_access_level !== 'disabled',
    groupIds: () => idsAbove(database.read, project.namespace_id),
    row: () => repositoryOfProject(database.read, project.id),
  }
}

function wikiOfProject(platform: Platform, project: Project, actor: Actor, moved: boolean): Target {
  return {
    ...ofProject(platform, project, actor, moved),
    fullPath: `${project.full_path}${wikiEnding}`,
    mayRead: may(actor, project, 'read_wiki'),
    mayPush: may(actor, project, 'write_wiki'),
    isOn: settingsOf(project).wiki_access_level !== 'disabled',
    // It is not created while the project is moved to another storage.
    row: () =>
      ensureWiki(platform, { project }).catch((error) => {
        if (error instanceof ApiError && error.status === 403) return null
        throw error
      }),
  }
}

function wikiOfGroup(platform: Platform, group: Group, actor: Actor, moved: boolean): Target {
  const mayPush = mayInGroup(actor, group, 'write_wiki')
  return {
    project: null,
    words: projectWords,
    fullPath: `${group.full_path}${wikiEnding}`,
    moved,
    isSeen: canSeeGroup(actor, group),
    mayRead: mayInGroup(actor, group, 'read_wiki'),
    mayPush,
    refusesWrites: refusesWritesIn(group),
    isOn: settingsOfGroup(group).wiki_access_level !== 'disabled',
    groupIds: () => idsAbove(platform.database.read, group.id),
    // The repository is created with the first page, or for the first caller who may write pages.
    row: () => (mayPush ? ensureWiki : findWiki)(platform, { group }),
  }
}

async function projectAt(platform: Platform, route: Route | null, actor: Actor): Promise<Project | null> {
  const db = platform.database.read
  const row = route?.projectId ? await projectById(db, route.projectId) : null
  return row && !row.pending_delete ? withRole(db, row, actor, dayOf(platform.clock.now())) : null
}

async function groupAt(platform: Platform, route: Route | null, actor: Actor): Promise<Group | null> {
  const db = platform.database.read
  const row = route?.namespaceId ? await namespaceById(db, route.namespaceId) : null
  if (row?.kind !== 'group' || row.pending_delete) return null
  return withLevel(db, row, actor, dayOf(platform.clock.now()))
}

/**
 * Finds what a path names, with the rights of the actor (contract 22, the table of the transport).
 * @param fullPath as the client sent it, without `.git`
 */
export async function findTarget(platform: Platform, fullPath: string, actor: Actor): Promise<Target | null> {
  const db = platform.database.read
  const route = await findRoute(db, fullPath)
  const project = await projectAt(platform, route, actor)
  if (project) return ofProject(platform, project, actor, route?.redirect ?? false)
  const snippet = parseSnippetPath(fullPath)
  if (snippet) {
    const { project: path, id } = snippet
    const place = path === null ? null : await projectAt(platform, await findRoute(db, path), actor)
    return path !== null && !place ? null : snippetTarget(platform, actor, { project: place, id })
  }
  if (!isWikiPath(fullPath)) return null
  const above = await findRoute(db, fullPath.slice(0, -wikiEnding.length))
  const moved = above?.redirect ?? false
  const owner = await projectAt(platform, above, actor)
  if (owner) return wikiOfProject(platform, owner, actor, moved)
  const group = await groupAt(platform, above, actor)
  return group && wikiOfGroup(platform, group, actor, moved)
}
