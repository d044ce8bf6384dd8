import { type Actor, conflict, failure, forbidden, unavailable } from '../../../api/index.ts'
import { isUniqueViolation, now, type Tx } from '../../../infra/database/index.ts'
import { enqueue, type Platform, react } from '../../../platform/index.ts'
import { openRepository, repositoryOfProject } from '../../../platform/repositories/index.ts'
import type { Project } from '../../projects/index.ts'
import { mayCreateTag } from '../../protected-tags/index.ts'
import { makeTag } from '../../tags/index.ts'
import { collectEvidenceJob } from '../evidence/evidence.ts'
import { insertLinks } from '../links/store.ts'
import { duplicateLink, validLink } from '../links/validation.ts'
import { keepNamedMilestones, namedMilestones } from '../milestones/milestones.ts'
import { replaceMilestones } from '../milestones/store.ts'
import type { ReleaseRow } from '../tables.ts'
import { presentOne } from './load.ts'
import type { NewRelease } from './params.ts'
import { insertRelease, lockReleases, releaseOnTag } from './store.ts'

const taken = () => conflict('Release already exists')
const noTag = () => failure(422, 'Ref is not specified')

/** Attempts to insert a release while other requests move refs of the repository. */
const attempts = 20

/** Creates a release, and its tag when missing (contract 22, x.releases_create). @throws ApiError 400, 403, 409, 422 */
export async function createRelease(platform: Platform, project: Project, actor: Actor, given: NewRelease) {
  const { tag_name: name } = given
  if (!(await mayCreateTag(platform, project, actor, name))) throw forbidden()
  if (await releaseOnTag(platform.database.read, project.id, name)) throw taken()
  await namedMilestones(platform.database.read, project, given)
  // Invalid links are refused before the tag is made.
  for (const link of given.assets?.links ?? []) validLink(link)
  await ensureTag(platform, project, actor, given)
  const release = await insertOnTag(platform, project, actor, given)
  return presentOne(platform, actor, release, project)
}

/** @throws ApiError 422 when the tag does not exist and none can be made, 400 when the gate refuses it */
async function ensureTag(platform: Platform, project: Project, actor: Actor, given: NewRelease): Promise<void> {
  const { tag_name, ref, tag_message: message } = given
  const { snapshot } = await openRepository(platform, project)
  if (snapshot.tag(tag_name)) return
  if (!ref) throw noTag()
  const refusal = await makeTag(platform, project, actor, { tag_name, ref, message })
  if (!refusal || refusal.reason === 'exists') return
  throw failure(refusal.reason === 'target' ? 422 : 400, refusal.message)
}

/** Inserts a release while its tag exists; retries when refs moved between the look-up of the tag and the transaction. */
async function insertOnTag(platform: Platform, project: Project, actor: Actor, given: NewRelease): Promise<ReleaseRow> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const { row, snapshot } = await openRepository(platform, project)
    const tag = snapshot.tag(given.tag_name)
    if (!tag) throw noTag()
    const sha = tag.peeledType === 'commit' ? tag.peeled : null
    const insertion = platform.database.write(async (tx) => {
      // The deletion of a tag deletes its release under the same lock.
      await lockReleases(tx, project.id)
      const repository = await repositoryOfProject(tx, project.id)
      return repository?.generation === row.generation ? insert(platform, tx, project, actor, given, sha) : null
    })
    const release = await insertion.catch((error) => {
      throw isUniqueViolation(error, 'releases_tag_unique') ? taken() : duplicateLink(error)
    })
    if (release) return release
  }
  throw unavailable()
}

async function insert(
  platform: Platform,
  tx: Tx,
  project: Project,
  actor: Actor,
  given: NewRelease,
  sha: string | null,
): Promise<ReleaseRow> {
  const { tag_name: tag, name, description, released_at, assets } = given
  const moment = now(platform.clock)
  const milestoneIds = (await keepNamedMilestones(tx, project, given)) ?? []
  const stamps = { created_at: moment, updated_at: moment }
  const release = await insertRelease(tx, {
    ...{ project_id: project.id, tag, sha, ...stamps },
    description: description ?? null,
    name: name?.trim() ? name : null,
    released_at: released_at ?? moment,
    author_id: actor.kind === 'user' ? actor.userId : null,
  })
  const links = (assets?.links ?? []).map((link) => {
    const { filepath = null, link_type = 'other' } = validLink(link)
    return { release_id: release.id, name: link.name, url: link.url, filepath, link_type, ...stamps }
  })
  await insertLinks(tx, links)
  await replaceMilestones(tx, release.id, milestoneIds)
  await enqueue(platform, tx, collectEvidenceJob, { releaseId: release.id })
  const created = { releaseId: release.id, projectId: project.id, action: 'create' } as const
  await react(platform, tx, 'release.changed', created)
  return release
}
