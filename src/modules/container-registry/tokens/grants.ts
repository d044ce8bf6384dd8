import { dayOf, isAdministrator } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { lineagesOf } from '../../namespaces/index.ts'
import { callerOf, type Project, type ProjectRow, projectsWithRoles, withRole } from '../../projects/index.ts'
import { registryProblem } from '../http/problems.ts'
import { type Protection, protectionOf } from '../protection/rules.ts'
import { isServed } from '../repositories/find.ts'
import { divisionsOf } from '../repositories/names.ts'
import { projectsByPaths } from '../repositories/store.ts'
import type { RegistryCaller } from './callers.ts'
import type { RegistryGrant } from './issue.ts'
import { levelOf, type RightsFacts, rightsOf } from './rights.ts'
import type { RepositoryAction, RepositoryScope, Scope } from './scopes.ts'

/** What a token will grant, and the claim `asked` (contract 02 R3). */
export type Granted = { access: RegistryGrant[]; asked: string[] }

/** A repository that a scope names. */
type Place = { scope: RepositoryScope; project: Project; rest: string }

type Facts = RightsFacts & { required: Protection }

const catalogGrant: RegistryGrant = { type: 'registry', name: 'catalog', actions: ['*'] }

/** Adds the roles of the caller to projects, in a constant number of queries. */
async function withRoles(platform: Platform, { actor }: RegistryCaller, rows: readonly ProjectRow[]) {
  if (rows.length === 0) return new Map<number, Project>()
  const { read } = platform.database
  const today = dayOf(platform.clock.now())
  const [first, second] = rows
  const projects =
    first && !second
      ? [await withRole(read, first, actor, today)]
      : await projectsWithRoles(
          read,
          await callerOf(read, actor, today),
          rows.map(({ id }) => id),
        )
  return new Map(projects.map((project) => [project.id, project]))
}

/** Finds the repositories that scopes name (contract 02 R1). Those of unknown and disabled projects are left out. */
async function placesOf(platform: Platform, caller: RegistryCaller, scopes: readonly RepositoryScope[]) {
  const divided = scopes.map((scope) => ({ scope, divisions: divisionsOf(scope.name) }))
  const paths = divided.flatMap(({ divisions }) => divisions.map(({ projectPath }) => projectPath))
  const rows = paths.length === 0 ? new Map<string, ProjectRow>() : await projectsByPaths(platform.database.read, paths)
  const found = divided.flatMap(({ scope, divisions }) => {
    const division = divisions.find(({ projectPath }) => rows.has(projectPath))
    const row = division && rows.get(division.projectPath)
    return row && isServed(row) ? [{ scope, row, rest: division.rest }] : []
  })
  const distinct = new Map(found.map(({ row }) => [row.id, row]))
  const projects = await withRoles(platform, caller, [...distinct.values()])
  return found.flatMap(({ scope, row, rest }): Place[] => {
    const project = projects.get(row.id)
    return project ? [{ scope, project, rest }] : []
  })
}

async function factsOf(db: Reader, { job }: RegistryCaller, places: readonly Place[]): Promise<Facts> {
  const ids = [...new Set(places.map(({ project }) => project.id))]
  const namespaceIds = places.map(({ project }) => project.namespace_id)
  const [lineages, required, admitted] = await Promise.all([
    namespaceIds.length === 0 ? new Map<number, number[]>() : lineagesOf(db, namespaceIds),
    protectionOf(db, ids),
    job ? job.admittedTo(ids.filter((id) => id !== job.projectId)) : new Set<number>(),
  ])
  return { lineages, required, admitted }
}

/** @throws RegistryProblem 403 when a rule protects the repository from a push that would be granted */
function actionsOf(caller: RegistryCaller, { scope, project, rest }: Place, facts: Facts): RepositoryAction[] {
  const rights = rightsOf(caller, project, facts)
  const granted = scope.actions.filter((action) => rights.has(action) && caller.carries.has(action))
  const level = levelOf(caller, project)
  const writes = granted.some((action) => action === 'push' || action === '*')
  if (writes && level < facts.required(project.id, rest, 'push')) {
    throw registryProblem('DENIED', { message: 'Pushing to protected repository path forbidden' })
  }
  if (level >= facts.required(project.id, rest, 'delete')) return granted
  return granted.filter((action) => action !== 'delete' && action !== '*')
}

function grantOf({ scope, project }: Place, actions: RepositoryAction[], { lineages }: Facts): RegistryGrant {
  const meta = {
    project_path: project.full_path,
    project_id: project.id,
    root_namespace_id: lineages.get(project.namespace_id)?.[0] ?? project.namespace_id,
  }
  return { type: 'repository', name: scope.name, actions, meta }
}

const wantsToPull = ({ actions }: RepositoryScope) => actions.includes('pull') || actions.includes('*')
const pulls = ({ actions }: RegistryGrant) => actions.includes('pull') || actions.includes('*')

/**
 * Decides what a token grants of what the client asks for (contract 02 R2).
 * @throws RegistryProblem 403 for a push to a protected repository
 */
export async function grantsOf(platform: Platform, caller: RegistryCaller, scopes: readonly Scope[]): Promise<Granted> {
  const repositories = scopes.filter((scope) => scope.kind === 'repository')
  const places = await placesOf(platform, caller, repositories)
  const facts = await factsOf(platform.database.read, caller, places)
  const byName = new Map(places.map((place) => [place.scope.name, place]))
  const seesCatalog = isAdministrator(caller.actor) && caller.carries.has('*')
  const access = scopes.flatMap((scope): RegistryGrant[] => {
    if (scope.kind === 'catalog') return seesCatalog ? [catalogGrant] : []
    const place = byName.get(scope.name)
    const actions = place ? actionsOf(caller, place, facts) : []
    return place && actions.length > 0 ? [grantOf(place, actions, facts)] : []
  })
  const readable = new Set(access.filter(pulls).map(({ name }) => name))
  const asked = repositories.filter((scope) => wantsToPull(scope) && !readable.has(scope.name)).map(({ name }) => name)
  return { access, asked }
}
