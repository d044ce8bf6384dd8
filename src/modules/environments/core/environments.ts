import {
  type Actor,
  badRequest,
  forbidden,
  invalid,
  lengthProblems,
  type Page,
  type PageRequest,
  parameterError,
  recordNotFound,
  refuse,
  taken,
  type Unmodified,
} from '../../../api/index.ts'
import { acquireLock, claim, isUniqueViolation, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import { enqueue, type Platform } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import type { EnvironmentRow, Tier } from '../tables.ts'
import { nameProblems, slugOfName, tierOf } from './naming.ts'
import type { EnvironmentChanges, EnvironmentFilter, NewEnvironment } from './params.ts'
import {
  type PresentedEnvironment,
  presentEnvironment,
  presentEnvironmentDetail,
  presentEnvironments,
} from './present.ts'
import { accessOfCaller, deployerOf, requireDeployer } from './protection.ts'
import { removeRefsJob } from './refs.ts'
import * as store from './store.ts'

/** Environments of one project (contract 24, Limits). */
const mostEnvironments = 10_000
const shortestSearch = 3
const longestUrl = 255
const longestDescription = 10_000
const forbiddenSchemes = ['javascript', 'data', 'vbscript']

/** An environment of a project. @throws ApiError 404 */
export async function requireEnvironment(db: Reader, project: Project, id: number): Promise<EnvironmentRow> {
  const row = await store.environmentById(db, id)
  if (row?.project_id !== project.id) throw recordNotFound()
  return row
}

/** Requires that the caller may deploy to an environment of a project. @throws ApiError 401, 403, 404 */
export async function requireDeployable(platform: Platform, project: Project, actor: Actor, id: number): Promise<void> {
  const { read } = platform.database
  await requireDeployer(platform, read, project, actor, await requireEnvironment(read, project, id))
}

/** To which of these environments of a project the caller may deploy, in a fixed number of queries. @throws ApiError 401 */
export async function areDeployable(
  platform: Platform,
  project: Project,
  actor: Actor,
  ids: readonly number[],
): Promise<boolean[]> {
  const { read } = platform.database
  const found = await store.environmentsByIds(read, ids)
  const access = await accessOfCaller(platform, read, project, actor, [...found.values()])
  const deployer = deployerOf(actor)
  return ids.map((id) => {
    const environment = found.get(id)
    return environment?.project_id === project.id && access.mayDeploy(environment, deployer)
  })
}

/** A page of the environments of a project (contract 24, x.environments_list). @throws ApiError 400 */
export async function listEnvironments(
  platform: Platform,
  project: Project,
  actor: Actor,
  filter: EnvironmentFilter,
  page: PageRequest,
): Promise<Page<PresentedEnvironment>> {
  const { name, search, with_last_deployment: withLast = false } = filter
  if (name !== undefined && search !== undefined) throw parameterError('name, search', 'cannot be used together')
  if (search !== undefined && [...search].length < shortestSearch) {
    throw badRequest(`Search query is less than ${shortestSearch} characters`)
  }
  const found = await store.pageOfEnvironments(platform.database.read, project.id, filter, page)
  return { ...found, items: await presentEnvironments(platform, project, actor, found.items, withLast) }
}

/** One environment (contract 24, x.environments_get). @throws ApiError 404 */
export async function getEnvironment(platform: Platform, project: Project, actor: Actor, id: number) {
  const row = await requireEnvironment(platform.database.read, project, id)
  return presentEnvironmentDetail(platform, project, actor, row)
}

/** The address of an environment that a job has given it; null when it is none. */
export const urlOrNull = (url: string): string | null => (urlProblems(url).length === 0 ? url : null)

/** What is wrong with the address of an environment. */
function urlProblems(url: string | null): string[] {
  if (url === null) return []
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase()
  if (scheme && forbiddenSchemes.includes(scheme)) return [`${scheme} scheme is not allowed`]
  return URL.canParse(url) ? lengthProblems(url, longestUrl) : ['URI is invalid']
}

const orNull = (text: string | null | undefined) => (text === undefined || text?.trim() === '' ? null : text)

/** @throws ApiError 400 */
function requireSupported({ cluster_agent_id, slug }: EnvironmentChanges): void {
  if (slug !== undefined) throw parameterError('slug', 'is automatically generated and cannot be changed')
  if (cluster_agent_id === undefined) return
  throw badRequest("cluster agent doesn't exist or cannot be associated with this environment")
}

function fieldProblems({ external_url, description }: EnvironmentChanges) {
  return {
    external_url: urlProblems(orNull(external_url)),
    description: lengthProblems(description ?? '', longestDescription),
  }
}

/** The columns that the given attributes set. */
function columnsOf({ external_url, description, tier, auto_stop_setting }: EnvironmentChanges) {
  return {
    ...(external_url === undefined ? {} : { external_url: orNull(external_url) }),
    ...(description === undefined ? {} : { description }),
    ...(tier === undefined ? {} : { tier }),
    ...(auto_stop_setting === undefined ? {} : { auto_stop_setting }),
  }
}

/** Slugs for new environments, of which no environment of the project has one. */
async function freeSlugs(platform: Platform, tx: Tx, projectId: number, names: readonly string[]): Promise<string[]> {
  let slugs = names.map((name) => slugOfName(platform, name))
  for (;;) {
    const used = await store.slugsAmong(tx, projectId, slugs)
    const free = slugs.map((slug) => {
      const isFree = !used.has(slug)
      used.add(slug)
      return isFree
    })
    if (!free.includes(false)) return slugs
    slugs = slugs.map((slug, index) => (free[index] ? slug : slugOfName(platform, `${names[index]}-`)))
  }
}

/** What an environment may be created with, beside its name. */
type Attributes = Pick<EnvironmentChanges, 'external_url' | 'description' | 'tier' | 'auto_stop_setting'>

/**
 * Creates environments in the caller's transaction, which holds the lock of the project. Their names are valid and free.
 * @returns those for which the project has room, by name
 */
async function insertNew(
  platform: Platform,
  tx: Tx,
  projectId: number,
  wanted: readonly (Attributes & { name: string })[],
): Promise<Map<string, EnvironmentRow>> {
  const room = wanted.length === 0 ? 0 : mostEnvironments - (await store.countEnvironments(tx, projectId))
  const fitting = wanted.slice(0, Math.max(0, room))
  const names = fitting.map(({ name }) => name)
  const slugs = await freeSlugs(platform, tx, projectId, names)
  const moment = now(platform.clock)
  const values = fitting.map(({ name, ...given }, index) => ({
    ...{ project_id: projectId, name, slug: slugs[index] ?? '', tier: tierOf(name) },
    ...{ external_url: null, description: null, auto_stop_setting: 'always' as const },
    ...columnsOf(given),
    ...{ created_at: moment, updated_at: moment },
  }))
  return new Map((await store.insertEnvironments(tx, values)).map((row) => [row.name, row]))
}

/** What creates environments of a project follows each other. */
const lockEnvironments = (tx: Tx, projectId: number) => acquireLock(tx, `environments:${projectId}`)

/** Creates an environment in the caller's transaction. @throws ApiError 400 */
async function createInTransaction(
  platform: Platform,
  tx: Tx,
  projectId: number,
  given: Attributes & { name: string },
): Promise<EnvironmentRow> {
  const { name, ...others } = given
  refuse({ name: nameProblems(name), ...fieldProblems(others) })
  await lockEnvironments(tx, projectId)
  if (await store.environmentNamed(tx, projectId, name)) throw invalid({ name: [taken] })
  const created = (await insertNew(platform, tx, projectId, [given])).get(name)
  if (!created) throw invalid({ base: [`Maximum number of project environments (${mostEnvironments}) exceeded`] })
  return created
}

/**
 * Finds environments by their names, and creates those that are missing, in the caller's transaction and set-wise.
 * @param wanted names, each once, with the tier of a new one
 * @returns by name; without those that cannot be created
 */
export async function ensureEnvironments(
  platform: Platform,
  tx: Tx,
  projectId: number,
  wanted: ReadonlyMap<string, Tier | undefined>,
): Promise<Map<string, EnvironmentRow>> {
  const found = await store.environmentsNamed(tx, projectId, [...wanted.keys()])
  const missing = [...wanted.keys()].filter((name) => !found.has(name) && nameProblems(name).length === 0)
  if (missing.length === 0) return found
  await lockEnvironments(tx, projectId)
  const others = await store.environmentsNamed(tx, projectId, missing)
  const free = missing.filter((name) => !others.has(name))
  const created = await insertNew(
    platform,
    tx,
    projectId,
    free.map((name) => ({ name, tier: wanted.get(name) })),
  )
  return new Map([...found, ...others, ...created])
}

/** Finds an environment by its name, or creates it in the caller's transaction. @throws ApiError 400 */
export async function ensureEnvironment(
  platform: Platform,
  tx: Tx,
  projectId: number,
  name: string,
): Promise<EnvironmentRow> {
  const [found] = (await ensureEnvironments(platform, tx, projectId, new Map([[name, undefined]]))).values()
  return found ?? createInTransaction(platform, tx, projectId, { name })
}

/** Creates an environment (contract 24, x.environments_create). @throws ApiError 400 */
export async function createEnvironment(platform: Platform, project: Project, actor: Actor, given: NewEnvironment) {
  requireSupported(given)
  const row = await platform.database
    .write((tx) => createInTransaction(platform, tx, project.id, given))
    .catch((error) => {
      throw isUniqueViolation(error) ? invalid({ name: [taken] }) : error
    })
  return presentEnvironment(platform, project, actor, row)
}

/** Changes an environment; its name and slug stay (contract 24, x.environments_update). @throws ApiError 400, 403, 404 */
export async function updateEnvironment(
  platform: Platform,
  project: Project,
  actor: Actor,
  id: number,
  given: EnvironmentChanges,
) {
  const { database, clock } = platform
  const row = await requireEnvironment(database.read, project, id)
  await requireDeployer(platform, database.read, project, actor, row)
  requireSupported(given)
  refuse(fieldProblems(given))
  const changes = columnsOf(given)
  if (Object.keys(changes).length === 0) return presentEnvironment(platform, project, actor, row)
  const changed = await database.write((tx) =>
    store.updateEnvironmentRow(tx, id, { ...changes, updated_at: now(clock) }),
  )
  if (!changed) throw recordNotFound()
  return presentEnvironment(platform, project, actor, changed)
}

/** Removes an environment with its deployments, and its refs after the transaction. */
export async function removeEnvironment(platform: Platform, tx: Tx, { id, project_id, slug }: EnvironmentRow) {
  await store.removeEnvironments(tx, id)
  await enqueue(platform, tx, removeRefsJob, { projectId: project_id, slug })
}

/** Deletes a stopped environment (contract 24, x.environments_delete). @throws ApiError 403, 404; 412 by `unmodified` */
export async function deleteEnvironment(
  platform: Platform,
  project: Project,
  actor: Actor,
  id: number,
  unmodified: Unmodified,
): Promise<void> {
  await platform.database.write(async (tx) => {
    const row = await claim(tx, 'environments', () => requireEnvironment(tx, project, id))
    await requireDeployer(platform, tx, project, actor, row)
    if (row.state !== 'stopped') throw forbidden()
    unmodified(row.updated_at)
    await removeEnvironment(platform, tx, row)
  })
}
