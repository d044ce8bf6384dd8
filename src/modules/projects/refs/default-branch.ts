import { now } from '../../../infra/database/index.ts'
import { branchRef, isZeroOid, type RefChange } from '../../../infra/git/index.ts'
import type { AppliedChange, Platform, RefCheck, RefListener } from '../../../platform/index.ts'
import { projectById, updateProject } from '../core/store.ts'
import type { ProjectRow } from '../tables.ts'
import { findReadme } from './readme.ts'

/** The name of the default branch of new projects. */
export async function plannedDefaultBranch({ settings }: Platform): Promise<string> {
  return (await settings.current()).default_branch_name ?? 'main'
}

/** The name of a project's default branch: its own, or the one planned for its first commit. */
export async function defaultBranchName(
  platform: Platform,
  project: Pick<ProjectRow, 'default_branch'>,
): Promise<string> {
  return project.default_branch ?? plannedDefaultBranch(platform)
}

function firstCreatedBranch(changes: readonly RefChange[]): string | undefined {
  const created = changes.find((change) => change.ref.startsWith('refs/heads/') && !isZeroOid(change.new))
  return created?.ref.slice('refs/heads/'.length)
}

/** The project of a repository whose refs change; null for others, such as wikis. */
export async function projectOf(
  { database }: Platform,
  { row }: Pick<AppliedChange, 'row'>,
): Promise<ProjectRow | null> {
  return row.project_id === null || row.kind !== 'project' ? null : projectById(database.read, row.project_id)
}

/** The branch that must become the default one; null when nothing has to change. */
async function successor(platform: Platform, project: ProjectRow, applied: AppliedChange): Promise<string | null> {
  const { row, repository, changes } = applied
  const candidate = firstCreatedBranch(changes)
  if (!candidate) return null
  const configured = await defaultBranchName(platform, project)
  const isCreated = changes.some((change) => change.ref === `refs/heads/${configured}` && !isZeroOid(change.new))
  const existed = (await repository.refs(row.generation)).branch(configured) !== null
  const chosen = isCreated || existed ? configured : candidate
  return chosen === project.default_branch ? null : chosen
}

/**
 * Updates a project's default branch and activity when refs move: if the configured default branch does not exist, the
 * first created branch becomes the default one (contract 01, "Pushing by git"; 22, "First push").
 */
export const defaultBranchListener: RefListener = {
  async prepare(platform, applied) {
    const project = await projectOf(platform, applied)
    if (!project) return async () => {}
    const { repository } = applied
    const name = await successor(platform, project, applied)
    const ref = name === null ? null : branchRef(name)
    if (ref) await repository.setHead(ref)
    const changed = applied.changes.find((change) => change.ref === `refs/heads/${name ?? project.default_branch}`)
    const readme = changed && !isZeroOid(changed.new) ? { readme_path: await findReadme(repository, changed.new) } : {}
    return async (tx) => {
      const changes = { last_activity_at: now(platform.clock), ...readme, ...(ref ? { default_branch: name } : {}) }
      await updateProject(tx, project.id, changes)
    }
  },
}

/** Finds a default branch that does not exist, unless the repository has no branches. */
export const defaultBranchProblems: RefCheck = async ({ database }, projectId, refs) => {
  const name = (await projectById(database.read, projectId))?.default_branch ?? null
  if (name === null || refs.branches.length === 0 || refs.branch(name)) return []
  return [`project ${projectId}: its default branch ${name} does not exist`]
}
