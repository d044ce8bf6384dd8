import { type Actor, anonymous } from '../../api/index.ts'
import type { Database } from '../../infra/database/index.ts'
import type { GitAccess, GitRefusal, GitService } from '../git-transport/index.ts'
import { ancestorsOf } from '../namespaces/index.ts'
import { type Project, type ProjectRow, settingsOf } from '../projects/index.ts'
import type { LfsCaller } from './credentials.ts'
import { lfsDisabled, lfsForbidden, lfsNotFound } from './problems.ts'
import type { LfsOperation } from './tokens.ts'

/** A project that somebody was let in to. */
export type LfsAccess = {
  project: Project
  /** As whom other projects are looked at; nobody for deploy keys and tokens, which open no others. */
  actor: Actor
  /** Whose locks are theirs; null for a deploy token, and for a deploy key without an active owner. */
  userId: number | null
}

/** There is a project for those who say who they are, or none: they are asked to. */
export class CredentialsNeeded extends Error {}

export type EntranceNeeds = {
  database: Database
  admit(fullPath: string, caller: LfsCaller['git'], service: GitService): Promise<GitAccess | GitRefusal>
}

/** Whether a project keeps large files: it may be switched off there, or in a group above it. */
export function isLfsEnabled(
  project: Pick<ProjectRow, 'settings'>,
  ancestors: readonly { settings: Record<string, unknown> }[],
): boolean {
  return settingsOf(project).lfs_enabled && ancestors.every(({ settings }) => settings.lfs_enabled !== false)
}

function refuse(refusal: GitRefusal): never {
  if (refusal.kind === 'credentials') throw new CredentialsNeeded()
  throw refusal.kind === 'forbidden' ? lfsForbidden() : lfsNotFound()
}

/** Lets callers in to projects, by the table of contract 22 that holds for git itself. */
export function createEntrance({ database, admit }: EntranceNeeds) {
  /** @throws LfsProblem 403, 404, 501; CredentialsNeeded */
  return async function enter(fullPath: string, caller: LfsCaller, operation: LfsOperation): Promise<LfsAccess> {
    // Reading comes first also where something is to be written: only a push makes projects.
    const found = await admit(fullPath, caller.git, 'git-upload-pack')
    if ('kind' in found) refuse(found)
    const { project, row, userId } = found
    if (!project || row.kind !== 'project') throw lfsNotFound()
    if (caller.grant && caller.grant.projectId !== project.id) throw new CredentialsNeeded()
    if (!isLfsEnabled(project, await ancestorsOf(database.read, project.namespace_id))) throw lfsDisabled()
    if (operation === 'upload') {
      if (caller.grant?.operation === 'download') throw lfsForbidden()
      const writable = await admit(fullPath, caller.git, 'git-receive-pack')
      if ('kind' in writable) refuse(writable)
    }
    return { project, actor: caller.git.kind === 'actor' ? caller.git.actor : anonymous, userId }
  }
}
