import {
  type Actor,
  ApiError,
  dayOf,
  invalid,
  lengthProblems,
  type PageRequest,
  pageOfList,
  recordNotFound,
  refuse,
  type Unmodified,
} from '../../api/index.ts'
import { acquireLock, claim, now, type Reader } from '../../infra/database/index.ts'
import type { Act, Platform } from '../../platform/index.ts'
import { callerOf, type Project, type ProjectOrGroup, projectsWithRoles } from '../projects/index.ts'
import type { BadgeAddresses, BadgeChanges, BadgeFilter, NewBadge } from './params.ts'
import { hasPlaceholder, isAddress, valuesFor } from './placeholders.ts'
import { Badge, RenderedBadge } from './present.ts'
import * as store from './store.ts'
import type { BadgeRow } from './tables.ts'

/** Badges of one project or group (contract 25, Badges). */
const mostBadges = 50
const longestName = 255

/** Who asks, and where. */
type Asking = { platform: Platform; parent: ProjectOrGroup; actor: Actor }

/** The project whose values placeholders have: of a group its oldest project that the caller sees. */
async function projectOfValues(db: Reader, { platform, parent, actor }: Asking): Promise<Project | null> {
  if (parent.kind === 'project') return parent.project
  const caller = await callerOf(db, actor, dayOf(platform.clock.now()))
  const id = await store.oldestProject(db, parent.id, caller)
  const [project] = id === null ? [] : await projectsWithRoles(db, caller, [id])
  return project ?? null
}

type Addresses = Pick<BadgeRow, 'link_url' | 'image_url'>

/** The view in which badges are presented. */
async function viewOf(db: Reader, asking: Asking, shown: readonly Addresses[]) {
  const texts = shown.flatMap(({ link_url, image_url }) => [link_url, image_url])
  const project = texts.some(hasPlaceholder) ? await projectOfValues(db, asking) : null
  return { values: project ? await valuesFor({ ...asking, project }, texts) : new Map<string, string>() }
}

async function presented(asking: Asking, row: BadgeRow) {
  return Badge.present(row, await viewOf(asking.platform.database.read, asking, [row]))
}

/** A badge that a project or group shows: its own, or of a group above a project. @throws ApiError 404 */
async function requireShown(db: Reader, parent: ProjectOrGroup, id: number): Promise<BadgeRow> {
  const row = await store.badgeById(db, id)
  if (!row) throw recordNotFound()
  const isOwn = (parent.kind === 'project' ? row.project_id : row.namespace_id) === parent.id
  const isInherited = async () =>
    parent.kind === 'project' &&
    row.namespace_id !== null &&
    (await store.isAtOrAbove(db, row.namespace_id, parent.namespaceId))
  if (!isOwn && !(await isInherited())) throw recordNotFound()
  return row
}

/** A badge of the project or group itself. @throws ApiError 403 for one of a group above; 404 */
async function requireOwn(db: Reader, parent: ProjectOrGroup, id: number): Promise<BadgeRow> {
  const row = await requireShown(db, parent, id)
  if (parent.kind === 'group' || row.project_id !== null) return row
  const sentence = 'To delete a Group badge please use the Group endpoint'
  throw new ApiError('forbidden', 403, { error: sentence, message: `403 Forbidden - ${sentence}` })
}

/** @throws ApiError 400 with the problems of all fields that are given */
function requireValid({ name, link_url, image_url }: BadgeChanges): void {
  const unless = (url: string | undefined) => (url === undefined || isAddress(url) ? [] : ['must be a valid URL'])
  refuse({
    name: lengthProblems(name ?? '', longestName),
    link_url: unless(link_url),
    image_url: unless(image_url),
  })
}

const nameOf = (given: string | null | undefined) => (given?.trim() ? given : null)

/** A page of badges: of the groups above first, the outermost first (contract 25, x.badge_list). */
export async function listBadges(asking: Asking, { name }: BadgeFilter, page: PageRequest) {
  const db = asking.platform.database.read
  const { parent } = asking
  const inherited = parent.kind === 'project' ? await store.badgesAbove(db, parent.namespaceId) : []
  const all = [...inherited, ...(await store.badgesOf(db, parent))]
  const found = pageOfList(name === undefined ? all : all.filter((badge) => badge.name === name), page)
  const view = await viewOf(db, asking, found.items)
  return { ...found, items: found.items.map((badge) => Badge.present(badge, view)) }
}

/** One badge (contract 25, x.badge_get). @throws ApiError 404 */
export async function getBadge(asking: Asking, id: number) {
  return presented(asking, await requireShown(asking.platform.database.read, asking.parent, id))
}

/** How a badge would look; nothing is stored (contract 25, x.badge_render). @throws ApiError 400 */
export async function renderBadge(asking: Asking, given: BadgeAddresses) {
  requireValid(given)
  return RenderedBadge.present({ name: null, ...given }, await viewOf(asking.platform.database.read, asking, [given]))
}

/** Adds a badge (contract 25, x.badge_create). @throws ApiError 400 */
export async function createBadge(asking: Asking, given: NewBadge, act: Act) {
  requireValid(given)
  const { platform, parent } = asking
  const moment = now(platform.clock)
  const row = await platform.database.write(async (tx) => {
    await acquireLock(tx, `badges:${parent.kind}:${parent.id}`)
    if ((await store.countBadges(tx, parent)) >= mostBadges) {
      throw invalid({ base: [`Maximum number of badges (${mostBadges}) exceeded`] })
    }
    const added = await store.insertBadge(tx, {
      project_id: parent.kind === 'project' ? parent.id : null,
      namespace_id: parent.kind === 'group' ? parent.id : null,
      ...{ name: nameOf(given.name), link_url: given.link_url, image_url: given.image_url },
      ...{ created_at: moment, updated_at: moment },
    })
    await act(tx, added.id)
    return added
  })
  return presented(asking, row)
}

/** Changes a badge (contract 25, x.badge_update). @throws ApiError 400, 403, 404 */
export async function updateBadge(asking: Asking, id: number, given: BadgeChanges, act: Act) {
  const { platform, parent } = asking
  const row = await platform.database.write(async (tx) => {
    const before = await claim(tx, 'badges', () => requireOwn(tx, parent, id))
    requireValid(given)
    const after = await store.updateBadgeRow(tx, id, {
      name: given.name === undefined ? before.name : nameOf(given.name),
      link_url: given.link_url ?? before.link_url,
      image_url: given.image_url ?? before.image_url,
      updated_at: now(platform.clock),
    })
    await act(tx, id)
    return after ?? before
  })
  return presented(asking, row)
}

/** Deletes a badge (contract 25, x.badge_delete). @throws ApiError 403, 404; 412 by `unmodified` */
export async function deleteBadge(
  { platform, parent }: Asking,
  id: number,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  await platform.database.write(async (tx) => {
    const row = await claim(tx, 'badges', () => requireOwn(tx, parent, id))
    unmodified(row.updated_at)
    await store.removeBadge(tx, id)
    await act(tx, id)
  })
}
