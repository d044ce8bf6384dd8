import { type Actor, invalid, type Page, type PageRequest, recordNotFound } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now } from '../../infra/database/index.ts'
import type { Project } from '../projects/index.ts'
import { duplicateLink, type GivenLink, linkChanges } from './link-rules.ts'
import { type PresentedLink, presentLink } from './present.ts'
import type { Releases } from './releases.ts'
import { countLinks, deleteLink, insertLinks, linkById, pageOfLinks, updateLink } from './store.ts'
import type { LinkRow, ReleaseRow } from './tables.ts'

export type LinksNeeds = {
  database: Database
  clock: Clock
  releases: Pick<Releases, 'require' | 'requireChangeable'>
  externalUrl: string
}

/** The links of releases (contract 22, x.releases_links_*). */
export type ReleaseLinks = ReturnType<typeof createReleaseLinks>

/** Every release of a list is shown with all of its links. */
const maximumLinks = 1_000

export function createReleaseLinks({ database, clock, releases, externalUrl }: LinksNeeds) {
  const present =
    (project: Project, { tag }: ReleaseRow) =>
    (link: LinkRow) =>
      presentLink(link, { externalUrl, project, tag })

  async function requireLink(release: ReleaseRow, id: string): Promise<LinkRow> {
    const number = Number(id)
    const link = Number.isSafeInteger(number) ? await linkById(database.read, release.id, number) : null
    if (!link) throw recordNotFound()
    return link
  }

  /** @throws ApiError 400 when the release has such a link already; 404 when it went meanwhile */
  async function writing<T>(work: Promise<T | null | undefined>): Promise<T> {
    const written = await work.catch((error) => {
      throw duplicateLink(error)
    })
    if (written === null || written === undefined) throw recordNotFound()
    return written
  }

  return {
    async list(project: Project, tag: string, page: PageRequest): Promise<Page<PresentedLink>> {
      const release = await releases.require(project, tag)
      const rows = await pageOfLinks(database.read, release.id, page)
      return { ...rows, items: rows.items.map(present(project, release)) }
    },

    async get(project: Project, tag: string, id: string): Promise<PresentedLink> {
      const release = await releases.require(project, tag)
      return present(project, release)(await requireLink(release, id))
    },

    async create(
      project: Project,
      actor: Actor,
      tag: string,
      params: GivenLink & { name: string; url: string },
    ): Promise<PresentedLink> {
      const release = await releases.requireChangeable(project, actor, tag)
      const { filepath = null, link_type = 'other' } = linkChanges(params)
      const { name, url } = params
      const moment = now(clock)
      const link = { release_id: release.id, name, url, filepath, link_type, created_at: moment, updated_at: moment }
      const insert = database.write(async (tx) => {
        if ((await countLinks(tx, release.id)) >= maximumLinks) {
          throw invalid({ links: [`is too long (maximum is ${maximumLinks})`] })
        }
        return (await insertLinks(tx, [link]))[0]
      })
      return present(project, release)(await writing(insert))
    },

    async update(project: Project, actor: Actor, tag: string, id: string, params: GivenLink): Promise<PresentedLink> {
      const release = await releases.requireChangeable(project, actor, tag)
      const link = await requireLink(release, id)
      const changes = { ...linkChanges(params), updated_at: now(clock) }
      const updated = await writing(database.write((tx) => updateLink(tx, link.id, changes)))
      return present(project, release)(updated)
    },

    /** @param requireUnmodified throws when the link is newer than the caller allows */
    async remove(
      project: Project,
      actor: Actor,
      tag: string,
      id: string,
      requireUnmodified: (updatedAt: string) => void,
    ): Promise<PresentedLink> {
      const release = await releases.requireChangeable(project, actor, tag)
      const link = await requireLink(release, id)
      requireUnmodified(link.updated_at)
      if (!(await database.write((tx) => deleteLink(tx, link.id)))) throw recordNotFound()
      return present(project, release)(link)
    },
  }
}
