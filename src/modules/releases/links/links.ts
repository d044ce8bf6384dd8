import { type Actor, invalid, type PageRequest, recordNotFound, type Unmodified } from '../../../api/index.ts'
import { claim, now, type Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import { requireChangeableRelease, requireRelease } from '../core/require-release.ts'
import type { LinkRow, ReleaseRow } from '../tables.ts'
import type { GivenLink, NewLink } from './params.ts'
import { type PresentedLink, ReleaseLink } from './present.ts'
import * as store from './store.ts'
import { duplicateLink, validLink } from './validation.ts'

/** The maximal number of links of a release: lists of releases show all of them. */
const maximumLinks = 1_000

/** A link of a release, by the tag of the release. */
type LinkAddress = { tag: string; id: number }

const presenter =
  ({ externalUrl }: Platform, project: Project, { tag }: ReleaseRow) =>
  (link: LinkRow) =>
    ReleaseLink.present(link, { location: { externalUrl, project, tag } })

async function requireLink(db: Reader, release: ReleaseRow, id: number): Promise<LinkRow> {
  const link = await store.linkById(db, release.id, id)
  if (!link) throw recordNotFound()
  return link
}

/** @throws ApiError 400 when the release has such a link already; 404 when the link was deleted meanwhile */
async function written<T>(work: Promise<T | null | undefined>): Promise<T> {
  const row = await work.catch((error) => {
    throw duplicateLink(error)
  })
  if (row === null || row === undefined) throw recordNotFound()
  return row
}

/** A page of the links of a release (contract 22, x.releases_links_list). @throws ApiError 404 */
export async function listLinks(platform: Platform, project: Project, tag: string, page: PageRequest) {
  const release = await requireRelease(platform, project, tag)
  const rows = await store.pageOfLinks(platform.database.read, release.id, page)
  return { ...rows, items: rows.items.map(presenter(platform, project, release)) }
}

/** Gets a link (contract 22, x.releases_links_get). @throws ApiError 404 */
export async function getLink(platform: Platform, project: Project, tag: string, id: number): Promise<PresentedLink> {
  const release = await requireRelease(platform, project, tag)
  return presenter(platform, project, release)(await requireLink(platform.database.read, release, id))
}

/** Adds a link to a release (contract 22, x.releases_links_create). @throws ApiError 400, 403, 404 */
export async function createLink(platform: Platform, project: Project, actor: Actor, tag: string, given: NewLink) {
  const release = await requireChangeableRelease(platform, project, actor, tag)
  const { filepath = null, link_type = 'other' } = validLink(given)
  const { name, url } = given
  const moment = now(platform.clock)
  const link = { release_id: release.id, name, url, filepath, link_type, created_at: moment, updated_at: moment }
  const insert = platform.database.write(async (tx) => {
    if ((await store.countLinks(tx, release.id)) >= maximumLinks) {
      throw invalid({ links: [`is too long (maximum is ${maximumLinks})`] })
    }
    return (await store.insertLinks(tx, [link]))[0]
  })
  return presenter(platform, project, release)(await written(insert))
}

/** Changes a link (contract 22, x.releases_links_update). @throws ApiError 400, 403, 404 */
export async function updateLink(
  platform: Platform,
  project: Project,
  actor: Actor,
  { tag, id }: LinkAddress,
  given: GivenLink,
): Promise<PresentedLink> {
  const release = await requireChangeableRelease(platform, project, actor, tag)
  const link = await requireLink(platform.database.read, release, id)
  const changes = { ...validLink(given), updated_at: now(platform.clock) }
  const updated = await written(platform.database.write((tx) => store.updateLink(tx, link.id, changes)))
  return presenter(platform, project, release)(updated)
}

/** Removes a link (contract 22, x.releases_links_delete). @throws ApiError 403, 404, 412 */
export async function deleteLink(
  platform: Platform,
  project: Project,
  actor: Actor,
  { tag, id }: LinkAddress,
  unmodified: Unmodified,
): Promise<PresentedLink> {
  const release = await requireChangeableRelease(platform, project, actor, tag)
  const link = await platform.database.write(async (tx) => {
    const found = await claim(tx, 'release_links', () => requireLink(tx, release, id))
    unmodified(found.updated_at)
    await store.deleteLink(tx, found.id)
    return found
  })
  return presenter(platform, project, release)(link)
}
