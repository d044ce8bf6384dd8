import {
  type Actor,
  conflict,
  forbidden,
  invalid,
  isAdministrator,
  notFound,
  notIncluded,
  onlyProblems,
  type Problems,
  refuse,
} from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { branchRef, type Oid, type RefName, type Repository } from '../../../infra/git/index.ts'
import { type Act, type Platform, react, recordChanges } from '../../../platform/index.ts'
import {
  openRow,
  outsideGate,
  type RepositoryRow,
  refsAt,
  repositoryOfProject,
} from '../../../platform/repositories/index.ts'
import { holdTree, moveRoutes, type NamespaceRow, namespaceById, refusedLevels } from '../../namespaces/index.ts'
import { putAvatar, readAvatar, removeAvatar } from '../../users/index.ts'
import { checkImportUrl } from '../imports/imports.ts'
import { findReadme } from '../refs/readme.ts'
import { settingsAfter, topicsOf, type WritableParams } from '../settings/params.ts'
import { areMergeSettings, settingsOf } from '../settings/settings.ts'
import type { ProjectRow } from '../tables.ts'
import { replaceTopics } from '../topics/topics.ts'
import { may, type Project, today, withRole } from './access.ts'
import { attributeProblems, clashes, clashesAfter } from './naming.ts'
import { holdProject, projectById, updateProject } from './store.ts'
import { visibilityProblems } from './visibility.ts'

type UpdateParams = WritableParams & { import_url?: string }

/** A branch that becomes the default one. */
type NewHead = { name: string; ref: RefName; oid: Oid; repository: Repository; row: RepositoryRow }

type Prepared = {
  problems: Problems
  avatar: string | null | undefined
  head: { default_branch?: string; readme_path?: string | null }
  act: Act | undefined
}

const noSuchBranch = (name: string) =>
  invalid({ base: [`Could not set the default branch. Do you have a branch named '${name}' in your repository?`] })

/** @throws ApiError 400 when there is no such branch */
async function headOf(platform: Platform, project: Project, name: string): Promise<NewHead> {
  const row = await repositoryOfProject(platform.database.read, project.id)
  if (!row) throw notFound('Repository')
  const repository = await openRow(platform, row)
  const [ref, branch] = [branchRef(name), (await refsAt(platform, row, repository)).branch(name)]
  if (!ref || !branch) throw noSuchBranch(name)
  return { name, ref, oid: branch.oid, repository, row }
}

/** Problems that do not depend on concurrent changes. */
async function problemsOf(platform: Platform, project: Project, params: UpdateParams, actor: Actor): Promise<Problems> {
  const db = platform.database.read
  const problems = attributeProblems(params)
  if (params.import_url) await checkImportUrl(platform, params.import_url, problems)
  const instance = await platform.settings.current()
  const { visibility, repository_storage: storage } = params
  if (visibility !== undefined && visibility !== project.visibility) {
    const [namespace, source] = await Promise.all([
      namespaceById(db, project.namespace_id),
      project.forked_from_id === null ? null : projectById(db, project.forked_from_id),
    ])
    if (!namespace) throw notFound('Project')
    const refused = refusedLevels(actor, instance.restricted_visibility_levels)
    problems.visibility_level = visibilityProblems(visibility, { namespace, refused, source: source?.visibility })
  }
  if (storage && isAdministrator(actor) && !Object.hasOwn(instance.repository_storages_weighted, storage)) {
    problems.repository_storage = [notIncluded]
  }
  return onlyProblems(problems)
}

/** The storage that the project is to be moved to; null when it stays (contract 10, "Choosing the destination"). */
async function otherStorage({ database }: Platform, { id }: Project, { repository_storage: wanted }: UpdateParams) {
  if (!wanted) return null
  return (await repositoryOfProject(database.read, id))?.storage === wanted ? null : wanted
}

/** Problems with the locked project and its namespace. */
async function problemsUnderLock(
  tx: Tx,
  held: ProjectRow,
  namespace: NamespaceRow,
  params: WritableParams,
): Promise<Problems> {
  const { name, path, visibility } = params
  const isOtherPath = path !== undefined && path.toLowerCase() !== held.path.toLowerCase()
  const wanted = { namespace, name, path: isOtherPath ? path : undefined, exceptId: held.id }
  const problems = await clashes(tx, wanted)
  if (visibility !== undefined && visibility !== held.visibility) {
    problems.visibility_level = visibilityProblems(visibility, { namespace })
  }
  return problems
}

/** The locked project and its locked namespace. */
async function hold(tx: Tx, project: Project): Promise<{ held: ProjectRow; namespace: NamespaceRow }> {
  const namespace = await holdTree(tx, project.namespace_id)
  const held = await holdProject(tx, project.id)
  if (!namespace || !held || held.pending_delete) throw notFound('Project')
  // Moved meanwhile: what was checked does not apply to the other namespace.
  if (held.namespace_id !== namespace.id) throw conflict()
  return { held, namespace }
}

/** Changes the path; the old one redirects to it (contract 21 R5). */
async function rename(platform: Platform, tx: Tx, held: ProjectRow, fullPath: string): Promise<void> {
  await moveRoutes(tx, held.full_path, fullPath)
  await updateProject(tx, held.id, { full_path: fullPath })
  const former = { formerPath: held.full_path, formerNamespaceId: held.namespace_id }
  await react(platform, tx, 'project.moved', { projectId: held.id, ...former })
}

/** What the audit trail tells of a change (contract 26 R5). */
const toldOf = (row: ProjectRow) => ({
  ...settingsOf(row),
  ...{ name: row.name, path: row.path, visibility: row.visibility },
})

async function write(
  platform: Platform,
  tx: Tx,
  project: Project,
  params: WritableParams,
  { act, ...prepared }: Prepared,
): Promise<ProjectRow> {
  const moment = now(platform.clock)
  const { held, namespace } = await hold(tx, project)
  const problems = { ...(await problemsUnderLock(tx, held, namespace, params)), ...prepared.problems }
  const settings = settingsAfter(held.settings, params, problems, moment)
  refuse(problems)
  const { name, path, description, visibility } = params
  if (path !== undefined && path !== held.path) await rename(platform, tx, held, `${namespace.full_path}/${path}`)
  const topics = topicsOf(params)
  if (topics) await replaceTopics(platform, tx, held.id, topics)
  const row = await updateProject(tx, held.id, {
    ...{ name, path, description, visibility },
    ...prepared.head,
    avatar: prepared.avatar,
    settings: JSON.stringify(settings),
    updated_at: moment,
  })
  if (path === undefined || path === held.path) await react(platform, tx, 'project.updated', { projectId: held.id })
  if (act && row) await recordChanges(tx, act, toldOf(held), toldOf(row))
  return row ?? held
}

/**
 * Changes the attributes and settings of a project (contract 21, x.projects_update).
 * @param act the record of it; without one where an import changes what it has made
 * @throws ApiError 400, form C; 403 for names and visibilities without the role of an owner, and for all but the settings about
 * merging without `edit_project`; 409
 */
export async function changeProject(
  platform: Platform,
  project: Project,
  params: UpdateParams,
  actor: Actor,
  act?: Act,
): Promise<Project> {
  const { database, secrets, ports } = platform
  const { import_url: address } = params
  const given = Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (!areMergeSettings(given) && !may(actor, project, 'edit_project')) throw forbidden()
  const forOwners = params.name !== undefined || params.visibility !== undefined
  if (forOwners && !may(actor, project, 'own')) throw forbidden()
  const problems = await problemsOf(platform, project, params, actor)
  const head = params.default_branch ? await headOf(platform, project, params.default_branch) : null
  const picture = typeof params.avatar === 'object' ? await readAvatar(params.avatar) : null
  const storage = isAdministrator(actor) ? await otherStorage(platform, project, params) : null
  const prepared = {
    act,
    problems,
    avatar: params.avatar === undefined ? undefined : (picture?.name ?? null),
    head: head ? { default_branch: head.name, readme_path: await findReadme(head.repository, head.oid) } : {},
  }
  // Loaded here, since a transaction does not wait for files.
  if (address) await secrets.sealer()
  if (picture && Object.keys(problems).length === 0) await putAvatar(platform, 'project', project.id, picture)
  const store = () =>
    database.write(async (tx) => {
      const written = await write(platform, tx, project, params, prepared)
      const userId = actor.kind === 'user' ? actor.userId : null
      if (address) await ports['projects.pull_from'](platform, tx, written, { address, userId })
      if (storage) await ports['projects.move_to_storage'](platform, tx, project.id, storage)
      return written
    })
  const storeWithHead = async ({ repository, ref }: NewHead) => {
    const written = await store()
    await repository.setHead(ref)
    return written
  }
  const row = await (head ? outsideGate(platform, head.row, () => storeWithHead(head)) : store()).catch(
    async (error) => {
      const namespace = { id: project.namespace_id, full_path: project.full_path.slice(0, -project.path.length - 1) }
      throw invalid(await clashesAfter(database.read, error, { ...params, namespace, exceptId: project.id }))
    },
  )
  if (params.avatar !== undefined) await removeAvatar(platform, 'project', project.id, project.avatar)
  return withRole(database.read, row, actor, today(platform))
}
