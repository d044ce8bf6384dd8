import type { Clock } from '../../../infra/clock/index.ts'
import { type Database, now } from '../../../infra/database/index.ts'
import { branchRef, isZeroOid, type RefChange } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { AppliedChange, RefListener } from '../../repositories/index.ts'
import { projectById, updateProject } from '../core/store.ts'
import type { ProjectRow } from '../tables.ts'
import { findReadme } from './readme.ts'

/** The name of a project's default branch: its own, or the one planned for its first commit. */
export async function defaultBranchOf(
  project: Pick<ProjectRow, 'default_branch'>,
  planned: () => Promise<string>,
): Promise<string> {
  return project.default_branch ?? planned()
}

/** The name of a project's default branch: its own, or the one that the instance plans for its first commit. */
export function defaultBranchName(
  { settings }: Platform,
  project: Pick<ProjectRow, 'default_branch'>,
): Promise<string> {
  return defaultBranchOf(project, async () => (await settings.current()).default_branch_name ?? 'main')
}

function firstCreatedBranch(changes: readonly RefChange[]): string | undefined {
  const created = changes.find((change) => change.ref.startsWith('refs/heads/') && !isZeroOid(change.new))
  return created?.ref.slice('refs/heads/'.length)
}

/**
 * Keeps a project's default branch and activity true when refs move: if the configured default branch does not exist, the
 * first branch that was pushed or made takes its place (contract 01, "Pushing by git"; 22, "First push").
 */
export function defaultBranchListener(needs: {
  database: Database
  clock: Clock
  planned: () => Promise<string>
}): RefListener {
  const { database, clock, planned } = needs

  async function projectOf({ row }: AppliedChange): Promise<ProjectRow | null> {
    return row.project_id === null || row.kind !== 'project' ? null : projectById(database.read, row.project_id)
  }

  /** The branch that must become the default one, or null when all is well. */
  async function successor(project: ProjectRow, { row, repository, changes }: AppliedChange): Promise<string | null> {
    const candidate = firstCreatedBranch(changes)
    if (!candidate) return null
    const configured = await defaultBranchOf(project, planned)
    const isAmong = changes.some((change) => change.ref === `refs/heads/${configured}` && !isZeroOid(change.new))
    const existed = (await repository.refs(row.generation)).branch(configured) !== null
    const chosen = isAmong || existed ? configured : candidate
    return chosen === project.default_branch ? null : chosen
  }

  return {
    async prepare(applied) {
      const project = await projectOf(applied)
      if (!project) return async () => {}
      const { repository } = applied
      const name = await successor(project, applied)
      const ref = name === null ? null : branchRef(name)
      if (ref) await repository.setHead(ref)
      const changed = applied.changes.find((change) => change.ref === `refs/heads/${name ?? project.default_branch}`)
      const readme =
        changed && !isZeroOid(changed.new) ? { readme_path: await findReadme(repository, changed.new) } : {}
      return async (tx) => {
        const changes = { last_activity_at: now(clock), ...readme, ...(ref ? { default_branch: name } : {}) }
        await updateProject(tx, project.id, changes)
      }
    },
  }
}
