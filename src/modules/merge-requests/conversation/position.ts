import { type Oid, parseOid } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { type GivenPosition, type NotePosition, requireDiffPosition } from '../../notes/index.ts'
import { versionWith } from '../diffs/store.ts'
import type { ProjectMergeRequest } from '../subject.ts'

/** The line of a version that a request names (contract 19, x.mr_disc_create). @throws ApiError 400 when it is in no version */
export async function positionOf(
  platform: Platform,
  { project, row }: ProjectMergeRequest,
  given: GivenPosition,
): Promise<NotePosition> {
  const { base_sha, start_sha, head_sha } = given
  const version = await versionWith(platform.database.read, row.id, {
    base: base_sha.toLowerCase(),
    start: start_sha.toLowerCase(),
    head: head_sha.toLowerCase(),
  })
  const { repository } = await openRepository(platform, project)
  const ends = version && {
    from: parseOid(version.base_sha ?? ''),
    to: parseOid(version.head_sha) as Oid,
    shas: { base_sha: version.base_sha ?? '', start_sha: version.start_sha, head_sha: version.head_sha },
  }
  return requireDiffPosition(repository, ends, given)
}
