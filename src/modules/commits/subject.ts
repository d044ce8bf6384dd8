import type { Commit } from '../../infra/git/index.ts'
import { nested } from '../../platform/index.ts'
import { type OpenedRepository, openRepository } from '../../platform/repositories/index.ts'
import type { ProjectAbility } from '../access/index.ts'
import { type Project, project } from '../projects/index.ts'
import { findCommit } from './revision.ts'

/** A commit with its project and the repository in which it was found. */
export type ProjectCommit = { project: Project; opened: OpenedRepository; commit: Commit }

/** The subject of operations below a commit: `:sha` names a revision (contract 22 R9). */
export const commit = nested<Project, ProjectAbility, ProjectCommit>(project, {
  name: 'commit',
  parameter: 'sha',
  read: 'read_code',
  noun: 'Commit',
  async find(platform, project, revision) {
    const opened = await openRepository(platform, project)
    const commit = await findCommit(opened, revision)
    return commit ? { project, opened, commit } : null
  },
  parentOf: ({ project }) => project,
})
