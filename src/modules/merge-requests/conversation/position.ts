import { type Oid, parseOid } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import {
  type CodedPosition,
  type GivenAnyPosition,
  type GivenPosition,
  type NotePosition,
  positionIn,
  requireDiffPosition,
} from '../../notes/index.ts'
import { versionWith } from '../diffs/store.ts'
import type { ProjectMergeRequest } from '../subject.ts'

/** The repository, and the version whose commits a position names; null when there is none. */
async function versionNamed(
  platform: Platform,
  { project, row }: ProjectMergeRequest,
  { base_sha, start_sha, head_sha }: Pick<GivenPosition, 'base_sha' | 'start_sha' | 'head_sha'>,
) {
  const version = await versionWith(platform.database.read, row.id, {
    base: base_sha.toLowerCase(),
    start: start_sha.toLowerCase(),
    head: head_sha.toLowerCase(),
  })
  const { repository } = await openRepository(platform, project)
  const diff = version && {
    from: parseOid(version.base_sha ?? ''),
    to: parseOid(version.head_sha) as Oid,
    shas: { base_sha: version.base_sha ?? '', start_sha: version.start_sha, head_sha: version.head_sha },
  }
  return { repository, diff }
}

/** The line of a version that a request names (contract 19, x.mr_disc_create). @throws ApiError 400 when it is in no version */
export async function positionOf(
  platform: Platform,
  found: ProjectMergeRequest,
  given: GivenPosition,
): Promise<NotePosition> {
  const { repository, diff } = await versionNamed(platform, found, given)
  return requireDiffPosition(repository, diff, given)
}

/** The line, image or file of a version that a request names; null when it is in no version. */
export async function anyPositionOf(
  platform: Platform,
  found: ProjectMergeRequest,
  given: GivenAnyPosition,
): Promise<CodedPosition | null> {
  const { repository, diff } = await versionNamed(platform, found, given)
  return diff && positionIn(repository, diff, given)
}
