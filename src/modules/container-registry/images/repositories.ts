import {
  type Actor,
  dayOf,
  forbidden,
  isAdministrator,
  type PageRequest,
  recordNotFound,
  type StreamedJson,
} from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { type Platform, registryHost } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import type { Group } from '../../groups/index.ts'
import { canSee, may, type Project, projectById, withRole } from '../../projects/index.ts'
import { countTags, repositorySizes, tagNames } from '../tags/store.ts'
import type { Extras } from './params.ts'
import { type PresentedRepository, presentRepository } from './present.ts'
import { type PlacedRepository, pageOfGroupRepositories, pageOfRepositories, placedRepository } from './store.ts'
import { streamRepositories, streamRepository } from './stream.ts'
import { requireOwnProject, requireRegistry } from './subjects.ts'

/**
 * Finds a repository of a project.
 * @throws ApiError 404
 */
export async function requireRepository(db: Reader, project: Project, id: number): Promise<PlacedRepository> {
  const found = await placedRepository(db, id)
  if (found?.project_id !== project.id) throw recordNotFound()
  return found
}

/** The number of tags that one answer holds in memory; with more of them it is streamed. */
const tagsInMemory = 10_000

/** Repositories as they are shown; `isLarge` when their tags have to be streamed. */
type Presented = { items: PresentedRepository[]; isLarge: boolean }

/** Presents repositories with what is requested of their tags, in a constant number of queries. */
async function presentAll(
  platform: Platform,
  rows: readonly PlacedRepository[],
  { tags, tags_count: counts, size }: Extras = {},
): Promise<Presented> {
  const db = platform.database.read
  const host = registryHost(platform)
  const ids = rows.map(({ id }) => id)
  const [numbers, sizes] = await Promise.all([
    tags || counts ? countTags(db, ids) : undefined,
    size ? repositorySizes(db, ids) : undefined,
  ])
  const isLarge = tags === true && sum(numbers?.values() ?? []) > tagsInMemory
  const names = tags && !isLarge ? await tagNames(db, ids) : undefined
  const items = rows.map((row) =>
    presentRepository(host, row, {
      ...(tags && { tagNames: names?.get(row.id) ?? [] }),
      ...(counts && { tagsCount: numbers?.get(row.id) ?? 0 }),
      ...(sizes && { size: sizes.get(row.id) ?? 0 }),
    }),
  )
  return { items, isLarge }
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, number) => total + number, 0)

/** A page of the repositories of a project (contract 1.1). */
export async function listRepositories(platform: Platform, project: Project, extras: Extras, page: PageRequest) {
  const { read } = platform.database
  const found = await pageOfRepositories(read, project.id, page)
  const { items, isLarge } = await presentAll(platform, found.items, extras)
  return isLarge ? streamRepositories(read, registryHost(platform), items, found) : { ...found, items }
}

/** A page of the repositories of a group and everything below it (contract 1.2). */
export async function listGroupRepositories(platform: Platform, group: Group, page: PageRequest) {
  const found = await pageOfGroupRepositories(platform.database.read, group.id, page)
  const { items } = await presentAll(platform, found.items)
  return { ...found, items }
}

/** The project of a repository, with the caller's role. @throws ApiError 404 when the caller cannot see it; 403 */
async function readableProject(platform: Platform, actor: Actor, id: number): Promise<Project> {
  const { database, clock } = platform
  const row = await projectById(database.read, id)
  if (!row || row.pending_delete) throw recordNotFound()
  requireOwnProject(actor, row.id)
  const project = await withRole(database.read, row, actor, dayOf(clock.now()))
  if (!canSee(actor, project)) throw recordNotFound()
  requireRegistry(platform)
  if (!may(actor, project, 'read_container_images')) throw forbidden()
  return project
}

/**
 * A repository by its id alone (contract 1.3).
 * @throws ApiError 404 also when the caller cannot see the project; 403
 */
export async function getRepository(
  platform: Platform,
  actor: Actor,
  id: number,
  extras: Extras,
): Promise<PresentedRepository | StreamedJson> {
  const { read } = platform.database
  const row = await placedRepository(read, id)
  if (!row) throw recordNotFound()
  const project = await readableProject(platform, actor, row.project_id)
  const { items, isLarge } = await presentAll(platform, [row], extras)
  const isMaintainer = isAdministrator(actor) || project.role.level >= role.maintainer
  const address = `${platform.externalUrl}/api/v4/projects/${project.id}/registry/repositories/${id}`
  const [presented] = items.map((one) => (isMaintainer ? { ...one, delete_api_path: address } : one))
  if (!presented) throw recordNotFound()
  return isLarge ? streamRepository(read, registryHost(platform), presented) : presented
}
