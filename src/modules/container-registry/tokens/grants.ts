import { dayOf, isAdministrator } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { lineagesOf } from '../../namespaces/index.ts'
import {
  callerOf,
  type Project,
  type ProjectRow,
  projectsWithRoles,
  refusesWrites,
  withRole,
} from '../../projects/index.ts'
import { registryProblem } from '../http/problems.ts'
import { type Protection, protectionOf } from '../protection/rules.ts'
import { type ServedProject, servedProjects } from '../repositories/find.ts'
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

/** The repositories that scopes name, with the roles of the caller. */
async function placesOf(
  platform: Platform,
  caller: RegistryCaller,
  scopes: readonly RepositoryScope[],
  served: ReadonlyMap<string, ServedProject>,
): Promise<Place[]> {
  const distinct = new Map([...served.values()].map(({ project }) => [project.id, project]))
  const projects = await withRoles(platform, caller, [...distinct.values()])
  return scopes.flatMap((scope): Place[] => {
    const found = served.get(scope.name)
    const project = found && projects.get(found.project.id)
    return project ? [{ scope, project, rest: found.rest }] : []
  })
}

const changes = ({ actions }: RepositoryScope) => actions.some((action) => action !== 'pull')

async function factsOf(
  db: Reader,
  { job, deployToken }: RegistryCaller,
  places: readonly Place[],
  { withRoots, withRules }: { withRoots: boolean; withRules: boolean },
): Promise<Facts> {
  const ids = [...new Set(places.map(({ project }) => project.id))]
  const namespaceIds = places.map(({ project }) => project.namespace_id)
  const needsLineages = withRoots || deployToken?.namespaceId != null
  const [lineages, required, admitted] = await Promise.all([
    namespaceIds.length === 0 || !needsLineages ? new Map<number, number[]>() : lineagesOf(db, namespaceIds),
    protectionOf(db, withRules ? ids : []),
    job ? job.admittedTo(ids.filter((id) => id !== job.projectId)) : new Set<number>(),
  ])
  return { lineages, required, admitted }
}

/** The actions of a scope that are permitted. */
type Decision = {
  actions: RepositoryAction[]
  /** Whether a rule protects the repository from a push that would be permitted otherwise. */
  isProtected: boolean
}

const isPush = (action: RepositoryAction) => action === 'push' || action === '*'
const isDeletion = (action: RepositoryAction) => action === 'delete' || action === '*'

function decide(caller: RegistryCaller, { scope, project, rest }: Place, facts: Facts): Decision {
  const rights = rightsOf(caller, project, facts)
  const granted = scope.actions.filter((action) => rights.has(action) && caller.carries.has(action))
  const level = levelOf(caller, project)
  const isProtected = granted.some(isPush) && level < facts.required(project.id, rest, 'push')
  const isKept = level < facts.required(project.id, rest, 'delete')
  const actions = granted.filter((action) => !(isProtected && isPush(action)) && !(isKept && isDeletion(action)))
  return { actions, isProtected }
}

function grantOf({ scope, project }: Place, actions: RepositoryAction[], { lineages }: Facts): RegistryGrant {
  const meta = {
    project_path: project.full_path,
    project_id: project.id,
    root_namespace_id: lineages.get(project.namespace_id)?.[0] ?? project.namespace_id,
  }
  return { type: 'repository', name: scope.name, actions, meta }
}

/** Whether the caller may list all repositories. */
export const seesCatalog = ({ actor, carries }: RegistryCaller) => isAdministrator(actor) && carries.has('*')

const wantsToPull = ({ actions }: RepositoryScope) => actions.includes('pull') || actions.includes('*')
const pulls = ({ actions }: RegistryGrant) => actions.includes('pull') || actions.includes('*')

/**
 * Decides what a token grants of what the client asks for (contract 02 R2).
 * @throws RegistryProblem 403 for a push to a protected repository
 */
export async function grantsOf(platform: Platform, caller: RegistryCaller, scopes: readonly Scope[]): Promise<Granted> {
  const { read } = platform.database
  const repositories = scopes.filter((scope) => scope.kind === 'repository')
  const names = repositories.map(({ name }) => name)
  const places = await placesOf(platform, caller, repositories, await servedProjects(read, names))
  const facts = await factsOf(read, caller, places, { withRoots: true, withRules: repositories.some(changes) })
  const byName = new Map(places.map((place) => [place.scope.name, place]))
  const access = scopes.flatMap((scope): RegistryGrant[] => {
    if (scope.kind === 'catalog') return seesCatalog(caller) ? [catalogGrant] : []
    const place = byName.get(scope.name)
    if (!place) return []
    const { actions, isProtected } = decide(caller, place, facts)
    if (isProtected) throw registryProblem('DENIED', { message: 'Pushing to protected repository path forbidden' })
    return actions.length > 0 ? [grantOf(place, actions, facts)] : []
  })
  const readable = new Set(access.filter(pulls).map(({ name }) => name))
  const asked = repositories.filter((scope) => wantsToPull(scope) && !readable.has(scope.name)).map(({ name }) => name)
  return { access, asked }
}

type Lasting = {
  scopes: readonly RepositoryScope[]
  served: ReadonlyMap<string, ServedProject>
  /** Whether rules that protect repositories count. */
  changes: boolean
}

/**
 * What of the actions that a token grants the caller may still do, by repository (contract 02 R3). What a project that refuses
 * writes is asked for is left in place for callers who may read, since they learn from another answer why they are refused (R5).
 */
export async function actionsStillPermitted(
  platform: Platform,
  caller: RegistryCaller,
  { scopes, served, changes }: Lasting,
): Promise<Map<string, ReadonlySet<RepositoryAction>>> {
  const places = await placesOf(platform, caller, scopes, served)
  const facts = await factsOf(platform.database.read, caller, places, { withRoots: false, withRules: changes })
  const permitted = (place: Place): readonly RepositoryAction[] => {
    if (!refusesWrites(place.project)) return decide(caller, place, facts).actions
    return rightsOf(caller, place.project, facts).has('pull') ? place.scope.actions : []
  }
  return new Map(places.map((place) => [place.scope.name, new Set(permitted(place))]))
}
