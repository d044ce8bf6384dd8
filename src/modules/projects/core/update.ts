import { type Actor, conflict, dayOf, forbidden, invalid, isAdministrator, notFound } from '../../../api/index.ts'
import type { Clock } from '../../../infra/clock/index.ts'
import { type Database, isUniqueViolation, now, type Tx } from '../../../infra/database/index.ts'
import { branchRef, type Oid, type RefName, type Repository } from '../../../infra/git/index.ts'
import { holdTree, moveRoutes, type NamespaceRow, namespaceById } from '../../namespaces/index.ts'
import { type Repositories, repositoryOfProject } from '../../repositories/index.ts'
import type { Settings } from '../../settings/index.ts'
import { type Avatars, readAvatar } from '../../users/index.ts'
import type { Imports } from '../imports/imports.ts'
import { findReadme } from '../refs/readme.ts'
import { settingsAfter, topicsOf, type WritableParams } from '../settings/params.ts'
import type { ProjectRow } from '../tables.ts'
import { may, type Project, withRole } from './access.ts'
import { bothTaken, checkDescription, checkName, checkPath, clashes } from './naming.ts'
import { type Problems, refuse } from './problems.ts'
import { holdProject, projectById, replaceTopics, updateProject } from './store.ts'
import { checkVisibility } from './visibility.ts'

export type UpdatesNeeds = {
  database: Database
  repositories: Repositories
  settings: Pick<Settings, 'current'>
  clock: Clock
  avatars: Avatars
  imports: Pick<Imports, 'check' | 'sealer' | 'follow'>
  /** Whether images of the project are in the registry, under its path. */
  hasRegistryTags?(projectId: number): Promise<boolean>
  /** Schedules the move of the project's repositories to another storage. */
  moveStorage?(project: Project, storage: string, actor: Actor): Promise<void>
}

export type UpdateParams = WritableParams & {
  /** Where the project is pulled from, from now on. */
  import_url?: string
}

/** Changes projects (contract 21, x.projects_update). */
export type Updates = ReturnType<typeof createUpdates>

/** A branch that is to become the default one, as it is in the repository. */
type NewHead = { name: string; ref: RefName; oid: Oid; repository: Repository }

const noSuchBranch = (name: string) =>
  invalid({ base: [`Could not set the default branch. Do you have a branch named '${name}' in your repository?`] })

export function createUpdates(needs: UpdatesNeeds) {
  const { database, repositories, settings, clock, avatars, imports } = needs
  const db = database.read

  /** @throws ApiError 400 when there is no such branch */
  async function headOf(project: Project, name: string): Promise<NewHead> {
    const row = await repositoryOfProject(db, project.id)
    if (!row) throw notFound('Repository')
    const repository = await repositories.open(row)
    const [ref, branch] = [branchRef(name), (await repository.refs(row.generation)).branch(name)]
    if (!ref || !branch) throw noSuchBranch(name)
    return { name, ref, oid: branch.oid, repository }
  }

  /** What is wrong with the new values, as far as it does not hang on what others change meanwhile. */
  async function problemsOf(project: Project, params: UpdateParams, actor: Actor): Promise<Problems> {
    const problems: Problems = {}
    if (params.name !== undefined) checkName(params.name, problems)
    if (params.path !== undefined) checkPath(params.path, problems)
    checkDescription(params.description, problems)
    if (params.import_url) await imports.check(params.import_url, problems)
    const instance = await settings.current()
    const { visibility, repository_storage: storage } = params
    if (visibility !== undefined && visibility !== project.visibility) {
      const [namespace, source] = await Promise.all([
        namespaceById(db, project.namespace_id),
        project.forked_from_id === null ? null : projectById(db, project.forked_from_id),
      ])
      if (!namespace) throw notFound('Project')
      const restricted = instance.restricted_visibility_levels
      const bounds = { namespace, restricted, isAdministrator: isAdministrator(actor), source: source?.visibility }
      checkVisibility(visibility, bounds, problems)
    }
    if (storage && isAdministrator(actor) && !Object.hasOwn(instance.repository_storages_weighted, storage)) {
      problems.repository_storage = ['is not included in the list']
    }
    const isMoving = params.path !== undefined && params.path !== project.path
    if (isMoving && (await needs.hasRegistryTags?.(project.id))) {
      problems.base = ['Cannot rename project because it contains container registry tags!']
    }
    return problems
  }

  /** Gives the project another path; what it was reached by leads on to it (contract 21 R5). */
  async function rename(
    tx: Tx,
    held: ProjectRow,
    namespace: NamespaceRow,
    path: string,
  ): Promise<{ full_path: string }> {
    const fullPath = `${namespace.full_path}/${path}`
    await moveRoutes(tx, held.full_path, fullPath)
    return { full_path: fullPath }
  }

  function plainChanges(params: WritableParams) {
    const { name, path, description, visibility } = params
    return {
      ...(name === undefined ? {} : { name }),
      ...(path === undefined ? {} : { path }),
      ...(description === undefined ? {} : { description }),
      ...(visibility === undefined ? {} : { visibility }),
    }
  }

  type Prepared = {
    problems: Problems
    avatar: string | null | undefined
    head: { default_branch?: string; readme_path?: string | null }
  }

  /** Everything that is wrong with a change of the project as it is now, under the lock. */
  async function problemsUnderLock(tx: Tx, held: ProjectRow, namespace: NamespaceRow, params: WritableParams) {
    const { name, path, visibility } = params
    const isOtherPath = path !== undefined && path.toLowerCase() !== held.path.toLowerCase()
    const wanted = { namespace, name, path: isOtherPath ? path : undefined, exceptId: held.id }
    const problems = await clashes(tx, wanted)
    if (visibility !== undefined && visibility !== held.visibility) {
      checkVisibility(visibility, { namespace, restricted: [], isAdministrator: true }, problems)
    }
    return problems
  }

  /** The project and its namespace, neither of which changes until the transaction ends. */
  async function hold(tx: Tx, project: Project): Promise<{ held: ProjectRow; namespace: NamespaceRow }> {
    const namespace = await holdTree(tx, project.namespace_id)
    const held = await holdProject(tx, project.id)
    if (!namespace || !held || held.pending_delete) throw notFound('Project')
    // Moved to another namespace a moment ago: what was checked does not hold there.
    if (held.namespace_id !== namespace.id) throw conflict()
    return { held, namespace }
  }

  async function write(tx: Tx, project: Project, params: WritableParams, prepared: Prepared): Promise<ProjectRow> {
    const { held, namespace } = await hold(tx, project)
    const problems = { ...(await problemsUnderLock(tx, held, namespace, params)), ...prepared.problems }
    const settingsNow = settingsAfter(held.settings, params, problems, now(clock))
    refuse(problems)
    const { path } = params
    const renamed = path === undefined || path === held.path ? {} : await rename(tx, held, namespace, path)
    const topics = topicsOf(params)
    if (topics) await replaceTopics(tx, held.id, topics)
    const row = await updateProject(tx, held.id, {
      ...plainChanges(params),
      ...renamed,
      ...prepared.head,
      ...(prepared.avatar === undefined ? {} : { avatar: prepared.avatar }),
      settings: JSON.stringify(settingsNow),
      updated_at: now(clock),
    })
    return row ?? held
  }

  /** Says what was taken by somebody who was a little faster. */
  async function takenMeanwhile(error: unknown, project: Project, { name, path }: WritableParams): Promise<never> {
    if (!isUniqueViolation(error)) throw error
    const namespace = await namespaceById(db, project.namespace_id)
    const found = namespace ? await clashes(db, { namespace, name, path, exceptId: project.id }) : {}
    throw invalid(Object.keys(found).length > 0 ? found : bothTaken)
  }

  return {
    /**
     * Changes a project.
     * @throws ApiError as contract 21, x.projects_update
     */
    async update(project: Project, params: UpdateParams, actor: Actor): Promise<Project> {
      const forOwners = params.name !== undefined || params.visibility !== undefined
      if (forOwners && !may(actor, project, 'own')) throw forbidden()
      const problems = await problemsOf(project, params, actor)
      const head = params.default_branch ? await headOf(project, params.default_branch) : null
      const picture = typeof params.avatar === 'object' ? await readAvatar(params.avatar) : null
      const prepared = {
        problems,
        avatar: params.avatar === undefined ? undefined : (picture?.name ?? null),
        head: head ? { default_branch: head.name, readme_path: await findReadme(head.repository, head.oid) } : {},
      }
      const { import_url: address } = params
      const sealing = address ? await imports.sealer() : null
      const userId = actor.kind === 'user' ? actor.userId : null
      if (picture && Object.keys(problems).length === 0) await avatars.put('project', project.id, picture)
      const row = await database
        .write(async (tx) => {
          const written = await write(tx, project, params, prepared)
          if (sealing && address) await imports.follow(tx, written, { address, sealing, userId })
          return written
        })
        .catch((error) => takenMeanwhile(error, project, params))
      await head?.repository.setHead(head.ref)
      if (params.avatar !== undefined) await avatars.removeOthers('project', project.id, row.avatar)
      const { repository_storage: storage } = params
      if (storage && isAdministrator(actor)) await needs.moveStorage?.(project, storage, actor)
      return withRole(db, row, actor, dayOf(clock.now()))
    },
  }
}
