import { type Actor, anonymous } from '../../../api/index.ts'
import { maintenanceSentence, type Platform } from '../../../platform/index.ts'
import { admit, GitAccessDenied, type GitRefusal } from '../../git-transport/index.ts'
import { ancestorsOf } from '../../namespaces/index.ts'
import { type Project, type ProjectRow, settingsOf } from '../../projects/index.ts'
import { lfsDisabled, lfsForbidden, lfsNotFound, lfsProblem } from '../problems.ts'
import type { LfsCaller } from './credentials.ts'
import type { LfsOperation } from './tokens.ts'

/** An admitted request. */
export type LfsAccess = {
  project: Project
  /** Whose rights count in other projects; anonymous for deploy keys and tokens, which open no others. */
  actor: Actor
  /** The owner of locks; null for a deploy token, and for a deploy key without an active owner. */
  userId: number | null
}

/** Whether a project has LFS: it may be disabled in the project or in a group above it. */
export async function isLfsEnabled({ database }: Platform, project: ProjectRow): Promise<boolean> {
  if (!settingsOf(project).lfs_enabled) return false
  const ancestors = await ancestorsOf(database.read, project.namespace_id)
  return ancestors.every(({ settings }) => settings.lfs_enabled !== false)
}

function refuse(refusal: GitRefusal): never {
  if (refusal.kind === 'credentials') throw new GitAccessDenied()
  throw refusal.kind === 'forbidden' ? lfsForbidden() : lfsNotFound()
}

/**
 * Admits a caller to a project, by the table of contract 22 for git.
 * @throws LfsProblem 403, 404, 501, 503; GitAccessDenied without sufficient credentials, whether or not the project exists
 */
export async function admitLfs(
  platform: Platform,
  fullPath: string,
  caller: LfsCaller,
  operation: LfsOperation,
): Promise<LfsAccess> {
  // Uploads are checked for reading first: admission to write would create the project.
  const found = await admit(platform, fullPath, caller.git, 'git-upload-pack')
  if ('kind' in found) refuse(found)
  const { project, row, userId } = found
  if (!project || row.kind !== 'project') throw lfsNotFound()
  if (caller.grant && caller.grant.projectId !== project.id) throw new GitAccessDenied()
  if (!(await isLfsEnabled(platform, project))) throw lfsDisabled()
  if (operation === 'upload') {
    const maintenance = await maintenanceSentence(platform)
    if (maintenance !== null) throw lfsProblem('maintenance', 503, maintenance)
    if (caller.grant?.operation === 'download') throw lfsForbidden()
    const writable = await admit(platform, fullPath, caller.git, 'git-receive-pack')
    if ('kind' in writable) refuse(writable)
  }
  return { project, actor: caller.git.kind === 'actor' ? caller.git.actor : anonymous, userId }
}
