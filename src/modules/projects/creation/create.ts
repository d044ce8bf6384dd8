import {
  type Actor,
  invalid,
  isAdministrator,
  notFound,
  notIncluded,
  type Problems,
  refuse,
  type UserActor,
} from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { branchRef } from '../../../infra/git/index.ts'
import { type Act, type Platform, react } from '../../../platform/index.ts'
import { makeFirstCommit, openRow, repositoryOfProject } from '../../../platform/repositories/index.ts'
import type { InstanceSettings } from '../../../platform/settings/index.ts'
import {
  holdTree,
  type NamespaceRow,
  namespaceById,
  namespaceByPath,
  namespaceOfUser,
  pathFromName,
  refusedLevels,
  unrefused,
  type Visibility,
  visibilityIn,
} from '../../namespaces/index.ts'
import { putAvatar, readAvatar, type UserRow, userById } from '../../users/index.ts'
import { type Project, today, withRole } from '../core/access.ts'
import { mayCreateIn, requireRoom } from '../core/destinations.ts'
import { attributeProblems, clashes, clashesAfter } from '../core/naming.ts'
import { insertProject, projectById, updateProject } from '../core/store.ts'
import { visibilityProblems } from '../core/visibility.ts'
import { checkImportUrl, importLater } from '../imports/imports.ts'
import { withoutLogin } from '../imports/remote-address.ts'
import { defaultBranchName } from '../refs/default-branch.ts'
import { settingsAfter, topicsOf } from '../settings/params.ts'
import type { ProjectSettings } from '../settings/settings.ts'
import type { ProjectRow } from '../tables.ts'
import { replaceTopics } from '../topics/topics.ts'
import type { CreateParams } from './params.ts'

/** The values of a new project after all checks. */
type Plan = {
  namespace: NamespaceRow
  name: string
  path: string
  visibility: Visibility
  storage: string
  settings: Partial<ProjectSettings>
}

const namespaceInvalid = () => invalid({ namespace: ['is not valid'] })

function namesOf(params: CreateParams): { name: string; path: string } {
  const name = params.name || params.path || ''
  return { name, path: params.path || pathFromName(name) }
}

/** @throws ApiError 400 when there is no such namespace, or the actor may not create projects in it */
async function targetOf(platform: Platform, actor: UserActor, id: number | undefined): Promise<NamespaceRow> {
  const db = platform.database.read
  if (id !== undefined && !Number.isSafeInteger(id)) throw namespaceInvalid()
  const found = await (id === undefined ? namespaceOfUser(db, actor.userId) : namespaceById(db, id))
  if (!found || !(await mayCreateIn(db, actor, found, today(platform)))) throw namespaceInvalid()
  return found
}

/** The storage that an administrator names, else one by the weights of the instance. */
function storageOf(
  { random }: Platform,
  params: CreateParams,
  actor: UserActor,
  { repository_storages_weighted: weights }: InstanceSettings,
  problems: Problems,
): string {
  const wanted = isAdministrator(actor) ? params.repository_storage : undefined
  if (!wanted) return chooseStorage(weights, random())
  if (!Object.hasOwn(weights, wanted)) problems.repository_storage = [notIncluded]
  return wanted
}

/** Settings that a new project gets from the instance. */
function initialSettings(instance: InstanceSettings): Partial<ProjectSettings> {
  return {
    ci_config_path: instance.default_ci_config_path ?? '',
    auto_devops_enabled: instance.auto_devops_enabled,
    shared_runners_enabled: instance.shared_runners_enabled,
    keep_latest_artifact: instance.keep_latest_artifact,
  }
}

/** @throws ApiError 400, form C, with all problems */
async function planProject(
  platform: Platform,
  actor: UserActor,
  namespace: NamespaceRow,
  params: CreateParams,
): Promise<Plan> {
  const { database, clock } = platform
  const instance = await platform.settings.current()
  const { name, path } = namesOf(params)
  const problems = attributeProblems({ name, path, description: params.description })
  const refused = refusedLevels(actor, instance.restricted_visibility_levels)
  const byDefault = visibilityIn(namespace, instance.default_project_visibility)
  const visibility = params.visibility ?? unrefused(byDefault, refused)
  problems.visibility_level = visibilityProblems(visibility, { namespace, refused })
  const storage = storageOf(platform, params, actor, instance, problems)
  const settings = settingsAfter(initialSettings(instance), params, problems, now(clock))
  if (params.default_branch && !branchRef(params.default_branch)) problems.default_branch = ['is invalid']
  if (params.import_url) await checkImportUrl(platform, params.import_url, problems)
  if (params.template_name) problems.template_name = [`'${params.template_name}' is unknown or invalid`]
  refuse({ ...(await clashes(database.read, { namespace, name, path })), ...problems })
  return { namespace, name, path, visibility, storage, settings }
}

/** Writes the rows. What may have changed since the plan was made is checked again while the tree is locked. */
async function insert(
  platform: Platform,
  tx: Tx,
  actor: UserActor,
  user: UserRow,
  plan: Plan,
  params: CreateParams,
  isImported = false,
): Promise<ProjectRow> {
  const { import_url: address, mirror } = params
  const namespace = await holdTree(tx, plan.namespace.id)
  if (!namespace || !(await mayCreateIn(tx, actor, namespace, today(platform)))) throw namespaceInvalid()
  await requireRoom(tx, namespace, user)
  refuse({ visibility_level: visibilityProblems(plan.visibility, { namespace }) })
  const row = await insertProject(tx, {
    ...plan,
    namespace,
    description: params.description ?? null,
    creator_id: actor.userId,
    default_branch: params.default_branch || null,
    objectFormat: params.repository_object_format,
    import_status: address || isImported ? 'scheduled' : 'none',
    is_unfinished: isImported,
    import_url: address ? withoutLogin(new URL(address)) : null,
    now: now(platform.clock),
  })
  await replaceTopics(platform, tx, row.id, topicsOf(params) ?? [])
  await react(platform, tx, 'project.created', { projectId: row.id, userId: actor.userId, isImported })
  if (address) await importLater(platform, tx, row.id, address)
  if (address && mirror) {
    await platform.ports['projects.pull_from'](platform, tx, row, { address, userId: actor.userId })
  }
  return row
}

/** Creates the repository on disk, with a first commit if wanted. */
async function openRepository(platform: Platform, row: ProjectRow, user: UserRow, params: CreateParams): Promise<void> {
  const repository = await repositoryOfProject(platform.database.read, row.id)
  const branch = branchRef(await defaultBranchName(platform, row))
  if (!repository || !branch) return
  await openRow(platform, repository, branch)
  if (!params.initialize_with_readme || params.import_url) return
  await makeFirstCommit(platform, {
    row: { ...repository, generation: Math.max(1, repository.generation) },
    branch,
    author: { name: user.name, email: user.email },
    message: 'Initial commit',
    readme: `# ${row.name}\n${row.description ? `\n${row.description}\n` : ''}`,
    writer: { userId: user.id, via: 'api', isBeginning: true },
  })
}

/**
 * Creates a project with its repository on disk (contract 21, x.projects_create).
 * @param act the record of it; without one where a push creates it
 * @throws ApiError 400, form C; 403 at the limit of projects; 404 User; 503 while the storage is not mounted
 */
export async function createProject(
  platform: Platform,
  actor: UserActor,
  params: CreateParams,
  act?: Act,
): Promise<ProjectRow> {
  const { database, secrets } = platform
  const user = await userById(database.read, actor.userId)
  if (!user) throw notFound('User')
  const namespace = await targetOf(platform, actor, params.namespace_id)
  await requireRoom(database.read, namespace, user)
  const plan = await planProject(platform, actor, namespace, params)
  const picture = params.avatar ? await readAvatar(params.avatar) : null
  await platform.storages.require(plan.storage)
  // Loaded here, since a transaction does not wait for files.
  if (params.import_url) await secrets.sealer()
  let row = await database
    .write(async (tx) => {
      const added = await insert(platform, tx, actor, user, plan, params)
      await act?.(tx, null, { target: { kind: 'project', id: added.id } })
      return added
    })
    .catch(async (error) => {
      throw invalid(await clashesAfter(database.read, error, plan))
    })
  if (picture) {
    await putAvatar(platform, 'project', row.id, picture)
    row = (await database.write((tx) => updateProject(tx, row.id, { avatar: picture.name }))) ?? row
  }
  await openRepository(platform, row, user, params)
  // A first commit has set the default branch. The status of an import is shown as of its creation.
  return (params.import_url ? null : await projectById(database.read, row.id)) ?? row
}

/**
 * Creates the private project into which a file or the relations of another server are imported (contract 25, Archives). It has no
 * repository on disk yet; until its import is finished it refuses writes.
 * @param record writes the record of the import, in the same transaction
 * @throws ApiError 400, form C; 403 at the limit of projects; 404 User; 503 while the storage is not mounted
 */
export async function createImported(
  platform: Platform,
  actor: UserActor,
  { namespaceId, ...names }: { namespaceId: number; name: string; path: string },
  record: (tx: Tx, project: ProjectRow) => Promise<void>,
): Promise<ProjectRow> {
  const { database } = platform
  const params: CreateParams = { ...names, visibility: 'private', namespace_id: namespaceId }
  const user = await userById(database.read, actor.userId)
  if (!user) throw notFound('User')
  const namespace = await targetOf(platform, actor, namespaceId)
  await requireRoom(database.read, namespace, user)
  const plan = await planProject(platform, actor, namespace, params)
  await platform.storages.require(plan.storage)
  return database
    .write(async (tx) => {
      const row = await insert(platform, tx, actor, user, plan, params, true)
      await record(tx, row)
      return row
    })
    .catch(async (error) => {
      throw invalid(await clashesAfter(database.read, error, plan))
    })
}

/**
 * Creates the private project for a push to a free path: in the pusher's personal namespace, or in a group where they may
 * create projects (contract 22, the table of the transport). Null when the path is in no such namespace.
 * @throws ApiError when the project cannot be created
 */
export async function createByPush(platform: Platform, actor: Actor, fullPath: string): Promise<Project | null> {
  const { database } = platform
  const slash = fullPath.lastIndexOf('/')
  if (actor.kind !== 'user' || slash <= 0) return null
  const namespace = await namespaceByPath(database.read, fullPath.slice(0, slash))
  if (!namespace || !(await mayCreateIn(database.read, actor, namespace, today(platform)))) return null
  const path = fullPath.slice(slash + 1)
  const row = await createProject(platform, actor, { path, namespace_id: namespace.id, visibility: 'private' })
  await database.write((tx) => updateProject(tx, row.id, { created_by_push: true }))
  return withRole(database.read, row, actor, today(platform))
}

/**
 * The storage for a new repository, chosen by the weights of the instance (contract 10, "Choosing the destination").
 * @param weights how often each storage is chosen; when all are 0, it is `default`
 * @param random from 0 up to, not including, 1
 */
export function chooseStorage(weights: Readonly<Record<string, number>>, random: number): string {
  const entries = Object.entries(weights).filter(([, weight]) => weight > 0)
  let left = random * entries.reduce((total, [, weight]) => total + weight, 0)
  for (const [storage, weight] of entries) {
    left -= weight
    if (left < 0) return storage
  }
  return entries.at(-1)?.[0] ?? 'default'
}
