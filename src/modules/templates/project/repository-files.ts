import { GitError, treePath } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRepository, readTextFile } from '../../../platform/repositories/index.ts'
import { defaultBranchName, type Project } from '../../projects/index.ts'

const ending = '.md'
const largestBytes = 1_048_576

/** The repository, and the last commit of the default branch; null without one. */
async function openDefaultBranch(platform: Platform, project: Project) {
  const opened = await openRepository(platform, project)
  const branch = opened.snapshot.branch(await defaultBranchName(platform, project))
  return branch && { opened, commit: branch.oid }
}

/** The files `*.md` in a folder of the default branch, without the ending. A folder that git cannot list has none. */
export async function descriptionNames(platform: Platform, project: Project, folder: string): Promise<string[]> {
  const found = await openDefaultBranch(platform, project)
  const path = treePath(folder)
  if (!found || !path) return []
  const { repository } = found.opened
  try {
    const entry = await repository.entryAt(found.commit, path)
    const files = entry?.type === 'tree' ? ((await repository.treeEntries(entry.oid, folder)) ?? []) : []
    const texts = files.filter(({ type, name }) => type === 'blob' && name.endsWith(ending) && name !== ending)
    return texts.map(({ name }) => name.slice(0, -ending.length))
  } catch (error) {
    if (error instanceof GitError && error.code === 'too_large') return []
    throw error
  }
}

const isFileName = (name: string) => name !== '' && name.length <= 255 && !/[/\\]/.test(name)

/** The text of a file `<name>.md` in a folder of the default branch; null when there is none, or it is larger than 1 MiB. */
export async function descriptionText(platform: Platform, project: Project, folder: string, name: string) {
  const found = isFileName(name) ? await openDefaultBranch(platform, project) : null
  return found && readTextFile(found.opened, found.commit, `${folder}/${name}${ending}`, largestBytes)
}
