import { now, portionsOf } from '../../../infra/database/index.ts'
import {
  type ExportedFile,
  type ExportedLines,
  type Platform,
  type Portable,
  spooled,
} from '../../../platform/index.ts'
import { ndjson, singleObject } from '../../relation-exports/index.ts'
import { exportedUser, usersByIds } from '../../users/index.ts'

/** The version of the form of archives. Others are not read. */
export const archiveVersion = '0.2.4'

/** A file of a short text. */
export function fileOfText(platform: Platform, path: string, text: string): ExportedFile {
  const content = Buffer.from(text)
  async function* bytes() {
    yield content
  }
  const open = async () => ({ sizeBytes: content.length, content: bytes() })
  return { path, modifiedAt: now(platform.clock), open }
}

/** The files that say what wrote an archive (contract 25, Archive of a project). */
export const versionFiles = (platform: Platform): ExportedFile[] => [
  fileOfText(platform, 'VERSION', `${archiveVersion}\n`),
  fileOfText(platform, 'GITLAB_VERSION', `${platform.config.version}\n`),
  fileOfText(platform, 'GITLAB_REVISION', 'fennec\n'),
]

/**
 * A file of the lines of a relation, of one state of the database.
 * @param form `object`: of the only line, without an end of line
 * @param users takes the ids of the users to whom the lines refer
 */
export function fileOfLines(
  platform: Platform,
  portable: Portable,
  path: string,
  { form, lines }: { form: 'object' | 'lines'; lines: ExportedLines },
  users: Set<number>,
): ExportedFile {
  const contentOf = form === 'object' ? singleObject : ndjson
  const open = () =>
    platform.database.snapshot((db) =>
      spooled(platform, contentOf(lines(platform, db, portable), { objects: 0, users })),
    )
  return { path, modifiedAt: now(platform.clock), open }
}

const usersAtOnce = 500

/** The users to whom the other files of an archive refer. @param users complete when the file is opened */
export function fileOfUsers(platform: Platform, path: string, users: ReadonlySet<number>): ExportedFile {
  async function* lines() {
    for (const ids of portionsOf(
      [...users].toSorted((a, b) => a - b),
      usersAtOnce,
    )) {
      const found = await usersByIds(platform.database.read, ids)
      yield ids.flatMap((id) => {
        const user = found.get(id)
        return user ? [exportedUser(user)] : []
      })
    }
  }
  const open = () => spooled(platform, ndjson(lines(), { objects: 0, users: new Set() }))
  return { path, modifiedAt: now(platform.clock), open }
}
