import { type Actor, conflict, failure, forbidden, unavailable } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, isUniqueViolation, now } from '../../infra/database/index.ts'
import type { Project } from '../projects/index.ts'
import { openRepository, type Repositories, repositoryOfProject } from '../repositories/index.ts'
import type { TagMaker } from '../tags/index.ts'
import type { EvidenceCollection } from './evidence.ts'
import { duplicateLink, type GivenLink, linkChanges } from './link-rules.ts'
import { type GivenMilestones, type MilestoneLookup, requireMilestones } from './milestones.ts'
import { insertLinks, insertRelease, releaseOnTag } from './store.ts'
import type { ReleaseRow } from './tables.ts'
import { holdReleases } from './tag-listener.ts'

export type NewRelease = GivenMilestones & {
  tag_name: string
  name?: string
  description?: string
  tag_message?: string
  ref?: string
  released_at?: string
  assets?: { links?: readonly (GivenLink & { name: string; url: string })[] }
}

export type CreationNeeds = {
  database: Database
  repositories: Repositories
  clock: Clock
  makeTag: TagMaker
  /** Whether the actor may make this tag, by role and by the rules that protect tags. */
  mayCreateTag(project: Project, actor: Actor, tag: string): Promise<boolean>
  milestones: MilestoneLookup
  evidence: EvidenceCollection
}

const taken = () => conflict('Release already exists')
const noTag = () => failure(422, 'Ref is not specified')

/** Tries to get hold of a tag that others keep moving about. */
const attempts = 20

/** Makes releases (contract 22, x.releases_create). */
export function createReleaseCreation(needs: CreationNeeds) {
  const { database, clock, makeTag, mayCreateTag, milestones, evidence } = needs

  /** @throws ApiError 422 when there is no such tag and none can be made, 400 when it may not be */
  async function ensureTag(project: Project, actor: Actor, { tag_name: name, ref, tag_message }: NewRelease) {
    const { snapshot } = await openRepository(needs, project)
    if (snapshot.tag(name)) return
    if (!ref) throw noTag()
    const refusal = await makeTag(project, actor, { name, ref, message: tag_message })
    if (!refusal || refusal.reason === 'exists') return
    throw failure(refusal.reason === 'target' ? 422 : 400, refusal.message)
  }

  /** Where the tag leads to, and as of which generation of the refs; null when there is none. */
  async function tagOf(project: Project, name: string) {
    const { row, snapshot } = await openRepository(needs, project)
    const tag = snapshot.tag(name)
    return tag && { generation: row.generation, sha: tag.peeledType === 'commit' ? tag.peeled : null }
  }

  /** @returns null when refs have moved since, so that the tag may have gone */
  async function insert(
    project: Project,
    actor: Actor,
    params: NewRelease,
    at: { generation: number; sha: string | null },
  ): Promise<ReleaseRow | null> {
    const moment = now(clock)
    const { tag_name: tag, name, description, released_at = moment } = params
    const given = params.assets?.links ?? []
    return database.write(async (tx) => {
      // A tag that goes takes its release along under the same lock: none stays behind without its tag.
      await holdReleases(tx, project.id)
      const repository = await repositoryOfProject(tx, project.id)
      if (repository?.generation !== at.generation) return null
      const release = await insertRelease(tx, {
        ...{ project_id: project.id, tag, sha: at.sha, released_at, created_at: moment, updated_at: moment },
        name: name?.trim() ? name : null,
        description: description ?? null,
        author_id: actor.kind === 'user' ? actor.userId : null,
      })
      const links = given.map((link) => {
        const { filepath = null, link_type = 'other' } = linkChanges(link)
        const stamps = { created_at: moment, updated_at: moment }
        return { release_id: release.id, name: link.name, url: link.url, filepath, link_type, ...stamps }
      })
      await insertLinks(tx, links)
      await evidence.collectLater(tx, release.id)
      return release
    })
  }

  /**
   * Makes a release, and its tag where there is none.
   * @throws ApiError 403, 409, 422, 400 in the words of the contract
   */
  return async (project: Project, actor: Actor, params: NewRelease): Promise<ReleaseRow> => {
    const { tag_name: name } = params
    if (!(await mayCreateTag(project, actor, name))) throw forbidden()
    if (await releaseOnTag(database.read, project.id, name)) throw taken()
    await requireMilestones(milestones, project, params)
    // Before anything is made of it.
    for (const link of params.assets?.links ?? []) linkChanges(link)
    await ensureTag(project, actor, params)
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const tag = await tagOf(project, name)
      if (!tag) throw noTag()
      const release = await insert(project, actor, params, tag).catch((error) => {
        throw isUniqueViolation(error, 'releases_tag_unique') ? taken() : duplicateLink(error)
      })
      if (release) return release
    }
    throw unavailable()
  }
}
