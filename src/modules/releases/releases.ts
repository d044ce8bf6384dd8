import { type Actor, forbidden, notFound, type Page, type PageRequest, parameterError } from '../../api/index.ts'
import { now } from '../../infra/database/index.ts'
import type { Project } from '../projects/index.ts'
import { type CreationNeeds, createReleaseCreation, type NewRelease } from './creation.ts'
import { type GivenMilestones, requireMilestones } from './milestones.ts'
import type { PresentedRelease } from './present.ts'
import type { ReleasePresenting, Shown } from './presenting.ts'
import {
  deleteRelease,
  latestRelease,
  pageOfReleases,
  type ReleaseFilter,
  releaseOnTag,
  updateRelease,
} from './store.ts'
import type { ReleaseRow } from './tables.ts'

export type ReleasesNeeds = CreationNeeds & { presenting: ReleasePresenting; externalUrl: string }

/** What a release is to become. */
export type ReleaseChanges = GivenMilestones & { name?: string; description?: string; released_at?: string }

/** The rules of releases (contract 22, x.releases_*). Every method may throw the errors that the contract names there. */
export type Releases = ReturnType<typeof createReleases>

/**
 * A path behind the address of a release, each segment encoded.
 * @throws ApiError 400 when it would lead out of there again
 */
function suffixOf(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '')
  if (segments.some((segment) => segment === '.' || segment === '..')) throw parameterError('suffix_path', 'is invalid')
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join('')
}

export function createReleases(needs: ReleasesNeeds) {
  const { database, clock, mayCreateTag, milestones, evidence, presenting, externalUrl } = needs
  const db = database.read
  const create = createReleaseCreation(needs)

  /** @throws ApiError 404 */
  async function require(project: Project, tag: string): Promise<ReleaseRow> {
    const release = await releaseOnTag(db, project.id, tag)
    if (!release) throw notFound()
    return release
  }

  /**
   * The release on a tag, for somebody who wants to change it.
   * @throws ApiError 403 where the tag is protected and the actor could not make it; 404
   */
  async function requireChangeable(project: Project, actor: Actor, tag: string): Promise<ReleaseRow> {
    if (!(await mayCreateTag(project, actor, tag))) throw forbidden()
    return require(project, tag)
  }

  return {
    require,
    requireChangeable,

    async list(
      project: Project,
      actor: Actor,
      params: ReleaseFilter & Shown,
      page: PageRequest,
    ): Promise<Page<PresentedRelease>> {
      const rows = await pageOfReleases(db, project.id, params, page)
      return { ...rows, items: await presenting.list(actor, rows.items, [project], params) }
    },

    async get(project: Project, actor: Actor, tag: string, shown: Shown): Promise<PresentedRelease> {
      return presenting.one(actor, await require(project, tag), project, shown)
    },

    /** The address of the newest release. @throws ApiError 404 when there is none */
    async addressOfLatest(project: Project, params: Shown & { suffix_path?: string }): Promise<string> {
      const suffix = suffixOf(params.suffix_path ?? '')
      const release = await latestRelease(db, project.id, now(clock))
      if (!release) throw notFound()
      const path = `/api/v4/projects/${project.id}/releases/${encodeURIComponent(release.tag)}${suffix}`
      const { include_html_description: withHtml } = params
      return `${externalUrl}${path}${withHtml === undefined ? '' : `?include_html_description=${withHtml}`}`
    },

    async create(project: Project, actor: Actor, params: NewRelease): Promise<PresentedRelease> {
      return presenting.one(actor, await create(project, actor, params), project)
    },

    async update(project: Project, actor: Actor, tag: string, params: ReleaseChanges): Promise<PresentedRelease> {
      const { id } = await requireChangeable(project, actor, tag)
      await requireMilestones(milestones, project, params)
      const { name, description, released_at } = params
      const changes = {
        ...(name === undefined ? {} : { name: name.trim() === '' ? null : name }),
        ...(description === undefined ? {} : { description }),
        ...(released_at === undefined ? {} : { released_at }),
        updated_at: now(clock),
      }
      const release = await database.write((tx) => updateRelease(tx, id, changes))
      if (!release) throw notFound()
      return presenting.one(actor, release, project)
    },

    /**
     * Deletes a release; its tag stays.
     * @param requireUnmodified throws when the release is newer than the caller allows
     */
    async remove(
      project: Project,
      actor: Actor,
      tag: string,
      requireUnmodified: (updatedAt: string) => void,
    ): Promise<PresentedRelease> {
      const release = await requireChangeable(project, actor, tag)
      requireUnmodified(release.updated_at)
      const presented = await presenting.one(actor, release, project)
      if (!(await database.write((tx) => deleteRelease(tx, release.id)))) throw notFound()
      return presented
    },

    /** Stores the job that collects evidence once more (x.releases_evidence). */
    async collectEvidence(project: Project, tag: string): Promise<void> {
      const { id } = await require(project, tag)
      await database.write((tx) => evidence.collectLater(tx, id))
    },
  }
}
