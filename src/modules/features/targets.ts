import { badRequest } from '../../api/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import { findRoute, namespaceByPath } from '../namespaces/index.ts'
import { projectById } from '../projects/index.ts'
import { snippetById } from '../snippets/index.ts'
import { userByUsername } from '../users/index.ts'
import type { FeatureChange } from './params.ts'

/** What a feature is set for. */
export type Target = {
  kind: 'actor' | 'group'
  /** `User:7`, or the name of a feature group. */
  id: string
  /** How error texts refer to it. */
  reference: string
}

type Find = (db: Reader, item: string) => Promise<Target | null>

const actor = (id: string, reference: string): Target => ({ kind: 'actor', id, reference })

async function userNamed(db: Reader, username: string): Promise<Target | null> {
  const user = await userByUsername(db, username)
  return user && actor(`User:${user.id}`, `@${user.username}`)
}

async function projectAt(db: Reader, path: string): Promise<Target | null> {
  const route = await findRoute(db, path)
  const project = route?.projectId && !route.redirect ? await projectById(db, route.projectId) : null
  return project && actor(`Project:${project.id}`, project.full_path)
}

async function namespaceAt(db: Reader, path: string, kinds: readonly string[]): Promise<Target | null> {
  const namespace = await namespaceByPath(db, path)
  if (!namespace || !kinds.includes(namespace.kind)) return null
  const type = namespace.kind === 'group' ? 'Group' : 'Namespaces::UserNamespace'
  return actor(`${type}:${namespace.id}`, namespace.full_path)
}

/** The repository of a snippet: `snippets/<id>`, or `<project>/snippets/<id>`. */
async function snippetAt(db: Reader, path: string): Promise<Target | null> {
  const [, place, id] = /^(?:(.+)\/)?snippets\/(\d{1,15})$/.exec(path) ?? []
  const snippet = id === undefined ? null : await snippetById(db, Number(id))
  const project = place === undefined ? null : await projectAt(db, place)
  const owner = snippet?.project_id ? `Project:${snippet.project_id}` : null
  if (!snippet || (place !== undefined && !project) || owner !== (project?.id ?? null)) return null
  const reference = project ? `${project.reference}/snippets/${id}` : `snippets/${id}`
  return actor(`Repository:${reference}`, reference)
}

/** The repository of a project, a wiki or a snippet. */
async function repositoryAt(db: Reader, given: string): Promise<Target | null> {
  const path = given.replace(/\.git$/, '')
  const snippet = await snippetAt(db, path)
  if (snippet) return snippet
  const isWiki = path.endsWith('.wiki')
  const owner = isWiki ? path.slice(0, -'.wiki'.length) : path
  const found = (await projectAt(db, owner)) ?? (isWiki ? await namespaceAt(db, owner, ['group']) : null)
  return (
    found &&
    actor(`Repository:${found.reference}${isWiki ? '.wiki' : ''}`, `${found.reference}${isWiki ? '.wiki' : ''}`)
  )
}

/** In the order in which targets are changed (contract 05, 2.26). */
const finders: readonly (readonly [Exclude<keyof FeatureChange, 'value' | 'key' | 'force' | 'feature_group'>, Find])[] =
  [
    ['user', userNamed],
    ['project', projectAt],
    ['group', (db, path) => namespaceAt(db, path, ['group'])],
    ['namespace', (db, path) => namespaceAt(db, path, ['group', 'user'])],
    ['repository', repositoryAt],
  ]

const itemsOf = (list: string) =>
  list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/**
 * The targets that a request names.
 * @returns null when no target parameter was given
 * @throws ApiError 400 for the first unknown one
 */
export async function targetsOf(db: Reader, given: FeatureChange): Promise<Target[] | null> {
  const { feature_group: group } = given
  const isTargeted = group !== undefined || finders.some(([name]) => given[name] !== undefined)
  if (!isTargeted) return null
  const targets: Target[] = group ? [{ kind: 'group', id: group, reference: group }] : []
  for (const [name, find] of finders) {
    for (const item of itemsOf(given[name] ?? '')) {
      const target = item.includes('\u0000') ? null : await find(db, item)
      if (!target) throw badRequest(`${item} is not found!`)
      targets.push(target)
    }
  }
  return targets
}
