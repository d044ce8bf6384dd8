import { type Actor, requireSignedIn } from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import { settingOf } from '../projects/index.ts'
import { commitIdentity, presentingUsers, usersByIds } from '../users/index.ts'
import type { Found } from './find.ts'

const defaultMessage = 'Apply %{suggestions_count} suggestion(s) to %{files_count} file(s)\n\n%{co_authored_by}'

/** The paths of the files that suggestions change. */
export const filesOf = ({ suggestions }: Pick<Found, 'suggestions'>): string[] => [
  ...new Set(suggestions.map(({ note }) => note.position.new_path)),
]

/** The message of the commit, by the template of the project (contract 25, "Suggestions"). @param given replaces it */
export async function messageOf(platform: Platform, found: Found, actor: Actor, given = ''): Promise<string> {
  if (given.trim() !== '') return given
  const { suggestions, branch, project } = found
  const { userId } = requireSignedIn(actor)
  const authorIds = new Set(suggestions.map(({ note }) => note.author_id))
  const users = await usersByIds(platform.database.read, [userId, ...authorIds])
  const presenting = await presentingUsers(platform)
  authorIds.delete(userId)
  const others = [...authorIds].flatMap((id) => {
    const author = users.get(id)
    return author ? [commitIdentity(author, presenting)] : []
  })
  const files = filesOf(found)
  const user = users.get(userId)
  const values: Readonly<Record<string, string>> = {
    branch_name: branch,
    co_authored_by: others.map(({ name, email }) => `Co-authored-by: ${name} <${email}>`).join('\n'),
    files_count: String(files.length),
    file_paths: files.join(', '),
    project_name: project.name,
    project_path: project.full_path,
    suggestions_count: String(suggestions.length),
    user_full_name: user?.name ?? '',
    username: user?.username ?? '',
  }
  const template = settingOf(project, 'suggestion_commit_message') || defaultMessage
  return template.replace(/%\{(\w+)\}/g, (written, name: string) => values[name] ?? written).trim()
}
