import {
  type Actor,
  failure,
  isAdministrator,
  notFound,
  type Problems,
  refuse,
  taken,
  type UserActor,
} from '../../../api/index.ts'
import { now, type Reader, type Tx } from '../../../infra/database/index.ts'
import { branchRef, type RefSnapshot } from '../../../infra/git/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { openRow, type RepositoryRow, refsOf, repositoryOfProject } from '../../../platform/repositories/index.ts'
import {
  ancestorsOf,
  holdTree,
  isWider,
  type NamespaceRow,
  namespaceOfUser,
  refusedLevels,
  unrefused,
  type Visibility,
  visibilityIn,
} from '../../namespaces/index.ts'
import { userById } from '../../users/index.ts'
import { heldProject, may, type Project, today } from '../core/access.ts'
import { mayCreateIn, requireRoom, visibleNamespace } from '../core/destinations.ts'
import { attributeProblems, clashes, clashesAfter } from '../core/naming.ts'
import { insertProject, updateProject } from '../core/store.ts'
import { type PresentedProject, presentProject } from '../present/present.ts'
import { settingsOf } from '../settings/settings.ts'
import type { ProjectRow } from '../tables.ts'
import { copyLater } from './copies.ts'
import type { ForkParams } from './params.ts'

/** What a fork copies: the repository of the source, all of it or one branch. */
type Origin = { project: Project; repository: RepositoryRow; snapshot: RefSnapshot; branch: string | undefined }

type Plan = { name: string; path: string; visibility: Visibility }

const targetMissing = () => notFound('Target Namespace')

/** The conflict as whole sentences in one list. */
function takenConflict(problems: Problems) {
  const fields = Object.keys(problems).map((field) => field.replace(/[._]/g, ' '))
  const sentences = fields.map((field) => `${field.charAt(0).toUpperCase()}${field.slice(1)} ${taken}`)
  return failure(409, sentences)
}

/** @throws ApiError 404 when the source may not be forked by the actor */
function requireForkable(source: Project, actor: Actor): void {
  const level = settingsOf(source).forking_access_level
  const isMember = isAdministrator(actor) || source.role.level > 0
  const isOpen = level === 'enabled' || (level === 'private' && isMember)
  const isReady = source.import_status !== 'scheduled' && source.import_status !== 'started'
  if (!isOpen || !isReady || !may(actor, source, 'fork_project')) throw notFound()
}

/** @throws ApiError 404 when there is no such namespace, or the actor may not create projects in it */
async function targetOf(
  platform: Platform,
  source: Project,
  actor: UserActor,
  params: ForkParams,
): Promise<NamespaceRow> {
  const [db, day] = [platform.database.read, today(platform)]
  const named = params.namespace_id?.toString() || params.namespace_path || params.namespace || undefined
  const isPath = params.namespace_id === undefined && Boolean(params.namespace_path)
  const target =
    named === undefined
      ? await namespaceOfUser(db, actor.userId)
      : await visibleNamespace(db, { text: named, isPath }, actor, day)
  if (!target || !(await mayCreateIn(db, actor, target, day))) throw targetMissing()
  if (!(await mayLeaveGroup(db, source, target))) throw targetMissing()
  return target
}

/** A top-level group may forbid forks outside of it. */
async function mayLeaveGroup(db: Reader, source: Project, target: NamespaceRow): Promise<boolean> {
  const root = (await ancestorsOf(db, source.namespace_id)).at(-1)
  if (root?.settings.prevent_forking_outside_group !== true) return true
  return (await ancestorsOf(db, target.id)).at(-1)?.id === root.id
}

/** @throws ApiError 404 when the wanted branch does not exist */
async function originOf(platform: Platform, project: Project, branch: string | undefined): Promise<Origin> {
  const repository = await repositoryOfProject(platform.database.read, project.id)
  if (!repository) throw notFound()
  // The fork will be there, too.
  await platform.storages.require(repository.storage)
  const snapshot = await refsOf(platform, repository)
  if (branch && !snapshot.branch(branch)) throw notFound('Source Branch')
  return { project, repository, snapshot, branch: branch || undefined }
}

/** @throws ApiError 400, form C, or 409 when name or path are taken */
async function planFork(
  { database, settings }: Platform,
  source: Project,
  target: NamespaceRow,
  params: ForkParams,
  actor: UserActor,
): Promise<Plan> {
  const [name, path] = [params.name || source.name, params.path || source.path]
  refuse(attributeProblems({ name, path, description: params.description }))
  const found = await clashes(database.read, { namespace: target, name, path })
  if (Object.keys(found).length > 0) throw takenConflict(found)
  const refused = refusedLevels(actor, (await settings.current()).restricted_visibility_levels)
  const wanted = params.visibility ?? source.visibility
  const widest = isWider(wanted, source.visibility) ? source.visibility : wanted
  return { name, path, visibility: unrefused(visibilityIn(target, widest), refused) }
}

async function insertFork(
  platform: Platform,
  tx: Tx,
  actor: UserActor,
  { origin, targetId, made, params }: { origin: Origin; targetId: number; made: Plan; params: ForkParams },
): Promise<ProjectRow> {
  const namespace = await holdTree(tx, targetId)
  if (!namespace || !(await mayCreateIn(tx, actor, namespace, today(platform)))) throw targetMissing()
  const source = await heldProject(tx, origin.project.id)
  await requireRoom(tx, namespace, await userById(tx, actor.userId))
  const { repository, snapshot, branch } = origin
  const isEmpty = snapshot.branches.length === 0 && snapshot.tags.length === 0
  const row = await insertProject(tx, {
    ...made,
    visibility: visibilityIn(namespace, made.visibility),
    namespace,
    description: params.description ?? source.description,
    creator_id: actor.userId,
    default_branch: branch ?? source.default_branch,
    storage: repository.storage,
    objectFormat: repository.object_format,
    settings: params.mr_default_target_self ? { mr_default_target_self: true } : {},
    forked_from_id: source.id,
    import_status: isEmpty ? 'none' : 'scheduled',
    now: now(platform.clock),
  })
  if (!isEmpty) await copyLater(platform, tx, row.id, { sourceId: source.id, branch })
  if (branch === undefined || branch === source.default_branch) {
    await updateProject(tx, row.id, { readme_path: source.readme_path })
  }
  await react(platform, tx, 'project.created', { projectId: row.id, userId: actor.userId })
  await react(platform, tx, 'project.forked', { projectId: row.id, sourceId: source.id })
  return row
}

async function openEmpty(platform: Platform, row: ProjectRow): Promise<void> {
  const repository = await repositoryOfProject(platform.database.read, row.id)
  const head = row.default_branch === null ? null : branchRef(row.default_branch)
  if (repository) await openRow(platform, repository, head ?? undefined)
}

/**
 * Forks a project: the rows are written at once, the repository is copied by a job (contract 21, x.projects_fork).
 * @throws ApiError 404, 400, 403 at the limit of projects, 409 when name or path are taken
 */
export async function forkProject(
  platform: Platform,
  source: Project,
  actor: UserActor,
  params: ForkParams,
): Promise<PresentedProject> {
  const { database } = platform
  requireForkable(source, actor)
  const target = await targetOf(platform, source, actor, params)
  const origin = await originOf(platform, source, params.branches)
  const made = await planFork(platform, source, target, params, actor)
  const row = await database
    .write((tx) => insertFork(platform, tx, actor, { origin, targetId: target.id, made, params }))
    .catch(async (error) => {
      throw takenConflict(await clashesAfter(database.read, error, { namespace: target, ...made }))
    })
  if (row.import_status === 'none') await openEmpty(platform, row)
  return presentProject(platform, row, actor)
}
