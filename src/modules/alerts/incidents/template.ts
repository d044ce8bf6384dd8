import type { Platform } from '../../../platform/index.ts'
import { openRepository, readTextFile } from '../../../platform/repositories/index.ts'
import { defaultBranchName, type ProjectRow } from '../../projects/index.ts'

const largestTemplateBytes = 1_048_576

const isFileName = (key: string) => key !== '' && key.length <= 255 && !/[/\\]/.test(key)

/** The text of a template for issues on the default branch of a project; null when there is none. */
export async function issueTemplate(platform: Platform, project: ProjectRow, key: string): Promise<string | null> {
  if (!isFileName(key)) return null
  const opened = await openRepository(platform, project)
  const branch = opened.snapshot.branch(await defaultBranchName(platform, project))
  return branch && readTextFile(opened, branch.oid, `.gitlab/issue_templates/${key}.md`, largestTemplateBytes)
}
