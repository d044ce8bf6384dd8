import {
  type Actor,
  type ApiError,
  dayOf,
  forbidden,
  hasMemberRoles,
  isAdministrator,
  movedNotGet,
  movedPermanently,
  notFound,
  type RequestInfo,
} from '../../../api/index.ts'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { Platform, Subject } from '../../../platform/index.ts'
import {
  addsInProject,
  noPermissions,
  noRoles,
  type OwnRoles,
  ownRoles,
  type ProjectAbility,
  type ProjectFeature,
  type ProjectRole,
  privateFeatureRoles,
  projectFeatures,
  projectPolicy,
  type Rule,
  role,
  roleInProject,
} from '../../access/index.ts'
import { findRoute, isGranted, isOpenTo } from '../../namespaces/index.ts'
import { type JobReach, reachesOfJob } from '../job-scope/reach.ts'
import { settingOf } from '../settings/settings.ts'
import type { ProjectRow } from '../tables.ts'
import { holdProject, projectById } from './store.ts'

/** A project with the role of the caller in it, and what it admits where the caller is a job of another project. */
export type Project = ProjectRow & { role: ProjectRole; job?: JobReach }

export const outsider: ProjectRole = { level: 0, projectLevel: null, groupLevel: null, permissions: noPermissions }

/**
 * The caller as a project knows them. The token of a job has the roles of its user in the job's own project, and in those that admit
 * the job. Elsewhere it is a user without a role (contract 24, "Job token scope").
 */
export function callerIn(actor: Actor, { id, job }: Pick<Project, 'id' | 'job'>): Actor {
  if (actor.kind !== 'user') return actor
  const own = actor.credential.projectId
  return own === undefined || own === id || job?.isAdmitted ? actor : { ...actor, administrator: false }
}

/** Whether the actor can see the project. One whose import is not finished only its Maintainers can. */
export function canSee(caller: Actor, project: Project): boolean {
  const actor = callerIn(caller, project)
  if (isAdministrator(actor)) return true
  if (project.is_unfinished) return project.role.level >= role.maintainer
  return project.role.level > 0 || isOpenTo(actor, project)
}

/** Writes are refused while a project is archived, about to be deleted (contract 21 R6), or not wholly imported (contract 25, States). */
export function refusesWrites(project: ProjectRow): boolean {
  return project.archived || project.marked_for_deletion_on !== null || project.is_unfinished
}

/** Whether a feature of the project is available to a caller who can see the project: it may be for members only, or disabled. */
export function canUseFeature(caller: Actor, project: Project, feature: ProjectFeature): boolean {
  const actor = callerIn(caller, project)
  const level = settingOf(project, `${feature}_access_level`)
  if (level === 'private') {
    return isAdministrator(actor) || project.role.level >= (privateFeatureRoles[feature] ?? role.guest)
  }
  return level !== 'disabled'
}

/** The error for callers to whom a feature is not available. */
export function featureUnavailable(feature: ProjectFeature): ApiError {
  if (feature === 'repository') return notFound('Repository')
  return projectFeatures[feature] === 404 ? notFound() : forbidden()
}

/** Whether the features of a rule are available to a caller. */
function hasFeatures(actor: Actor, project: Project, { feature, needsCode }: Rule): boolean {
  if (needsCode && !canUseFeature(actor, project, 'repository')) return false
  return !feature || canUseFeature(actor, project, feature)
}

/** Whether a caller has one of the abilities that a rule asks for besides its own. */
function hasOneOf(actor: Actor, project: Project, { oneOf }: Rule): boolean {
  return !oneOf || oneOf.some((ability) => may(actor, project, ability as ProjectAbility))
}

/** Whether a member role of the caller adds an ability to the level (contract 25.10). */
const isAdded = (actor: Actor, { role: { permissions } }: Project, ability: ProjectAbility) =>
  hasMemberRoles(actor) && addsInProject(permissions, ability)

/** Whether the actor has the ability in the project. */
export function may(caller: Actor, project: Project, ability: ProjectAbility): boolean {
  const actor = callerIn(caller, project)
  const rule: Rule = projectPolicy[ability]
  if (!hasFeatures(actor, project, rule) || !hasOneOf(actor, project, rule)) return false
  if (rule.writes && refusesWrites(project)) return false
  return isGranted(actor, project, project.role.level, rule) || isAdded(actor, project, ability)
}

function authorize(actor: Actor, project: Project, ability: ProjectAbility): void {
  if (project.job?.refusal && !may(actor, project, ability)) throw forbidden(project.job.refusal)
  const rule: Rule = projectPolicy[ability]
  if (rule.feature && !hasFeatures(actor, project, rule)) {
    throw rule.withoutFeature ? forbidden() : featureUnavailable(rule.feature)
  }
  if (!hasOneOf(actor, project, rule)) throw notFound()
  if (!may(actor, project, ability)) throw forbidden()
}

/** The day on which expiry dates are compared, in UTC (`YYYY-MM-DD`). */
export const today = ({ clock }: Pick<Platform, 'clock'>): string => dayOf(clock.now())

/** A project as a job reaches it: without a role where it is not admitted. @param job undefined for other callers, and in its own project */
export function asReached(project: Project, job: JobReach | undefined): Project {
  if (!job) return project
  return { ...project, job, role: job.isAdmitted ? project.role : outsider }
}

/** Adds the role of the actor in the project. */
export async function withRole(db: Reader, row: ProjectRow, caller: Actor, today: string): Promise<Project> {
  if (caller.kind !== 'user') return { ...row, role: outsider }
  const job = (await reachesOfJob(db, [row], caller)).get(row.id)
  return asReached({ ...row, role: await roleInProject(db, caller.userId, row, today) }, job)
}

/**
 * The error of a project that the caller cannot see. A job whose user sees it learns what is missing.
 * @param found the project as the caller knows it
 */
async function unseen(db: Reader, row: ProjectRow, { job }: Project, actor: Actor, today: string): Promise<ApiError> {
  if (actor.kind !== 'user' || !job?.refusal) return notFound('Project')
  const { projectId: _, ...credential } = actor.credential
  const user = { ...actor, credential }
  return canSee(user, await withRole(db, row, user, today)) ? forbidden(job.refusal) : notFound('Project')
}

/** The locked row of a project. @throws ApiError 404 Project when it was deleted meanwhile */
export async function heldProject(tx: Tx, id: number): Promise<ProjectRow> {
  const row = await holdProject(tx, id)
  if (!row || row.pending_delete) throw notFound('Project')
  return row
}

/** The roles of a caller in all namespaces and projects, without those that are inherited. */
export async function callerRoles(db: Reader, actor: Actor, today: string): Promise<OwnRoles> {
  return actor.kind === 'user' ? ownRoles(db, actor.userId, today) : noRoles
}

/** The URL of the request with the project's id instead of its former path. */
function numericUrl(externalUrl: string, request: RequestInfo, id: number): string {
  const [path = '', query] = request.url.split('?', 2)
  const moved = path.replace(/^(\/api\/v4\/projects\/)[^/]+/, `$1${id}`)
  return `${externalUrl}${moved}${query ? `?${query}` : ''}`
}

/** The answer to a request for a project by a former path (contract 00): reads are redirected. */
export function projectMoved(externalUrl: string, request: RequestInfo, id: number): ApiError {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  return isRead ? movedPermanently(numericUrl(externalUrl, request, id)) : movedNotGet()
}

/** The project of a path: by number, or by full path, also a former one (`moved`). */
export async function projectNamed(db: Reader, id: string): Promise<{ row: ProjectRow | null; moved: boolean }> {
  if (/^\d+$/.test(id)) {
    const number = Number(id)
    return { row: Number.isSafeInteger(number) ? await projectById(db, number) : null, moved: false }
  }
  const route = id.includes('/') ? await findRoute(db, id) : null
  const row = route?.projectId ? await projectById(db, route.projectId) : null
  return { row, moved: route?.redirect ?? false }
}

export type ProjectSubject = Subject<Project, ProjectAbility>

/** The subject of operations whose path names a project: `:id` is a number or an encoded full path (contract 00). */
export const project: ProjectSubject = {
  name: 'project',
  opensToAnonymous: (ability) => (projectPolicy[ability] as Rule).visible === 'public',
  administratorsOnly: (ability) => (projectPolicy[ability] as Rule).administrators === true,
  async find({ database, clock, externalUrl }, request, actor) {
    const { row, moved } = await projectNamed(database.read, request.path.id ?? '')
    if (!row || row.pending_delete) throw notFound('Project')
    const today = dayOf(clock.now())
    const found = await withRole(database.read, row, actor, today)
    if (!canSee(actor, found)) throw await unseen(database.read, row, found, actor, today)
    if (moved) throw projectMoved(externalUrl, request, row.id)
    return found
  },
  authorize,
}
