import { type Actor, ApiError, dayOf, invalid, isAdministrator, notFound, type UserActor } from '../../../api/index.ts'
import type { Clock } from '../../../infra/clock/index.ts'
import { type Database, isUniqueViolation, now, type Tx } from '../../../infra/database/index.ts'
import { branchRef } from '../../../infra/git/index.ts'
import {
  holdTree,
  type NamespaceRow,
  namespaceById,
  namespaceByPath,
  namespaceOfUser,
  pathFromName,
  type Visibility,
} from '../../namespaces/index.ts'
import { makeFirstCommit, type Repositories, repositoryOfProject } from '../../repositories/index.ts'
import type { InstanceSettings, Settings } from '../../settings/index.ts'
import { type Avatars, readAvatar, type UserRow, userById } from '../../users/index.ts'
import { type Project, withRole } from '../core/access.ts'
import { bothTaken, checkDescription, checkName, checkPath, clashes } from '../core/naming.ts'
import { type Problems, refuse } from '../core/problems.ts'
import { countProjectsIn, insertProject, projectById, replaceTopics, updateProject } from '../core/store.ts'
import { mayCreateIn } from '../core/targets.ts'
import { checkVisibility, defaultVisibility } from '../core/visibility.ts'
import type { Imports } from '../imports/imports.ts'
import { withoutLogin } from '../imports/remote-address.ts'
import { settingsAfter, topicsOf, type WritableParams } from '../settings/params.ts'
import type { ProjectSettings } from '../settings/settings.ts'
import { chooseStorage } from '../storage/storages.ts'
import type { ProjectRow } from '../tables.ts'

export type CreateParams = WritableParams & {
  namespace_id?: number
  initialize_with_readme?: boolean
  import_url?: string
  template_name?: string
  repository_object_format?: 'sha1' | 'sha256'
}

export type CreationNeeds = {
  database: Database
  repositories: Repositories
  settings: Pick<Settings, 'current'>
  clock: Clock
  avatars: Pick<Avatars, 'put'>
  imports: Imports
  /** Name of the default branch where a project names none. */
  defaultBranchName(): Promise<string>
  /** From 0 up to, not including, 1: spreads new repositories over the storages. */
  random(): number
  /** What else is to be written when a project has been made, in the same transaction. */
  onCreated?(tx: Tx, project: ProjectRow, actor: UserActor): Promise<void>
}

/** Makes projects (contract 21, x.projects_create). */
export type Creation = ReturnType<typeof createCreation>

/** What a new project will be, once nothing is wrong with it. */
type Plan = {
  namespace: NamespaceRow
  name: string
  path: string
  visibility: Visibility
  storage: string
  settings: Partial<ProjectSettings>
}

const namespaceInvalid = () => invalid({ namespace: ['is not valid'] })

/** The answer when a user has as many projects of their own as they may (contract 21, x.projects_create). */
export function limitReached(limit: number): ApiError {
  const contact = 'Contact your GitLab administrator.'
  const sentence =
    limit === 0
      ? `You cannot create projects in your personal namespace. ${contact}`
      : `You've reached your limit of ${limit} projects created. ${contact}`
  return new ApiError('projects_limit', 403, { error: [sentence] })
}

function namesOf(params: CreateParams): { name: string; path: string } {
  const name = params.name || params.path || ''
  return { name, path: params.path || pathFromName(name) }
}

export function createCreation(needs: CreationNeeds) {
  const { database, repositories, settings, clock, avatars, imports, random } = needs
  const db = database.read

  /** @throws ApiError 400 when there is no such namespace, or the actor may not make projects in it */
  async function target(actor: UserActor, namespaceId: number | undefined): Promise<NamespaceRow> {
    if (namespaceId !== undefined && !Number.isSafeInteger(namespaceId)) throw namespaceInvalid()
    const found = await (namespaceId === undefined ? namespaceOfUser(db, actor.userId) : namespaceById(db, namespaceId))
    if (!found || !(await mayCreateIn(db, actor, found, dayOf(clock.now())))) throw namespaceInvalid()
    return found
  }

  function storageOf(params: CreateParams, actor: UserActor, instance: InstanceSettings, problems: Problems): string {
    const weights = instance.repository_storages_weighted
    const asked = isAdministrator(actor) ? params.repository_storage : undefined
    if (!asked) return chooseStorage(weights, random())
    if (!Object.hasOwn(weights, asked)) problems.repository_storage = ['is not included in the list']
    return asked
  }

  /** @throws ApiError 400, form C, with everything that is wrong */
  async function plan(actor: UserActor, namespace: NamespaceRow, params: CreateParams): Promise<Plan> {
    const instance = await settings.current()
    const problems: Problems = {}
    const { name, path } = namesOf(params)
    checkName(name, problems)
    checkPath(path, problems)
    checkDescription(params.description, problems)
    const bounds = {
      namespace,
      restricted: instance.restricted_visibility_levels,
      isAdministrator: isAdministrator(actor),
    }
    const visibility = params.visibility ?? defaultVisibility(instance.default_project_visibility, bounds)
    checkVisibility(visibility, bounds, problems)
    const storage = storageOf(params, actor, instance, problems)
    const changed = settingsAfter(instanceDefaults(instance), params, problems, now(clock))
    if (params.default_branch && !branchRef(params.default_branch)) problems.default_branch = ['is invalid']
    if (params.import_url) await imports.check(params.import_url, problems)
    if (params.template_name) problems.template_name = [`'${params.template_name}' is unknown or invalid`]
    refuse({ ...(await clashes(db, { namespace, name, path })), ...problems })
    return { namespace, name, path, visibility, storage, settings: changed }
  }

  async function checkLimit(tx: Tx, user: UserRow, namespace: NamespaceRow): Promise<void> {
    if (namespace.kind !== 'user' || namespace.owner_id !== user.id) return
    if ((await countProjectsIn(tx, namespace.id)) >= user.projects_limit) throw limitReached(user.projects_limit)
  }

  /** Writes the rows. What others may have changed since the plan was made is looked at again under the tree's lock. */
  async function insert(
    tx: Tx,
    actor: UserActor,
    user: UserRow,
    made: Plan,
    params: CreateParams,
  ): Promise<ProjectRow> {
    const namespace = await holdTree(tx, made.namespace.id)
    if (!namespace || !(await mayCreateIn(tx, actor, namespace, dayOf(clock.now())))) throw namespaceInvalid()
    await checkLimit(tx, user, namespace)
    const problems: Problems = {}
    checkVisibility(made.visibility, { namespace, restricted: [], isAdministrator: true }, problems)
    refuse(problems)
    const row = await insertProject(tx, {
      ...made,
      namespace,
      description: params.description ?? null,
      creatorId: actor.userId,
      defaultBranch: params.default_branch || null,
      objectFormat: params.repository_object_format,
      importStatus: params.import_url ? 'scheduled' : 'none',
      importUrl: params.import_url ? withoutLogin(new URL(params.import_url)) : null,
      now: now(clock),
    })
    await replaceTopics(tx, row.id, topicsOf(params) ?? [])
    await needs.onCreated?.(tx, row, actor)
    return row
  }

  async function makeRepository(row: ProjectRow, user: UserRow, params: CreateParams): Promise<void> {
    const repository = await repositoryOfProject(db, row.id)
    const branch = branchRef(row.default_branch ?? (await needs.defaultBranchName()))
    if (!repository || !branch) return
    await repositories.open(repository, branch)
    if (!params.initialize_with_readme || params.import_url) return
    await makeFirstCommit(repositories, clock, {
      row: { ...repository, generation: Math.max(1, repository.generation) },
      branch,
      author: { name: user.name, email: user.email },
      message: 'Initial commit',
      readme: `# ${row.name}\n${row.description ? `\n${row.description}\n` : ''}`,
      mover: { userId: user.id, via: 'api', isBeginning: true },
    })
  }

  /**
   * Makes a project for somebody, with its repository on disk.
   * @throws ApiError as contract 21, x.projects_create
   */
  async function create(actor: UserActor, params: CreateParams): Promise<ProjectRow> {
    const user = await userById(db, actor.userId)
    if (!user) throw notFound('User')
    const namespace = await target(actor, params.namespace_id)
    const limited = namespace.kind === 'user' && namespace.owner_id === user.id
    if (limited && (await countProjectsIn(db, namespace.id)) >= user.projects_limit) {
      throw limitReached(user.projects_limit)
    }
    const made = await plan(actor, namespace, params)
    const picture = params.avatar ? await readAvatar(params.avatar) : null
    const sealing = params.import_url ? await imports.sealer() : null
    let row = await database
      .write(async (tx) => {
        const inserted = await insert(tx, actor, user, made, params)
        const { import_url: address, mirror } = params
        if (sealing && address) await imports.schedule(tx, inserted.id, address, sealing)
        if (sealing && address && mirror) {
          await imports.follow(tx, inserted, { address, sealing, userId: actor.userId })
        }
        return inserted
      })
      .catch(async (error) => {
        if (!isUniqueViolation(error)) throw error
        // Somebody else was a little faster.
        const found = await clashes(db, made)
        throw invalid(Object.keys(found).length > 0 ? found : bothTaken)
      })
    if (picture) {
      await avatars.put('project', row.id, picture)
      row = (await database.write((tx) => updateProject(tx, row.id, { avatar: picture.name }))) ?? row
    }
    await makeRepository(row, user, params)
    // A first commit has made the branch known; an import says for itself how far it is.
    return (params.import_url ? null : await projectById(db, row.id)) ?? row
  }

  return {
    create,

    /**
     * Makes the private project that a push asks for: in the pusher's own namespace, or in a group where they may
     * (contract 22, the table of the transport). Null when the path leads to no place for a project of theirs.
     * @throws ApiError when the project cannot be made, with the reason
     */
    async createByPush(actor: Actor, fullPath: string): Promise<Project | null> {
      const slash = fullPath.lastIndexOf('/')
      if (actor.kind !== 'user' || slash <= 0) return null
      const namespace = await namespaceByPath(db, fullPath.slice(0, slash))
      if (!namespace || !(await mayCreateIn(db, actor, namespace, dayOf(clock.now())))) return null
      const path = fullPath.slice(slash + 1)
      const row = await create(actor, { path, namespace_id: namespace.id, visibility: 'private' })
      await database.write((tx) => updateProject(tx, row.id, { created_by_push: true }))
      return withRole(db, row, actor, dayOf(clock.now()))
    },
  }
}

/** Settings that a new project takes over from the instance. */
function instanceDefaults(instance: InstanceSettings): Partial<ProjectSettings> {
  return {
    ci_config_path: instance.default_ci_config_path ?? '',
    auto_devops_enabled: instance.auto_devops_enabled,
    shared_runners_enabled: instance.shared_runners_enabled,
    keep_latest_artifact: instance.keep_latest_artifact,
  }
}
