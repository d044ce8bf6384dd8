import type { ExportedFile, ExportedLines, Platform, Portable } from '../../platform/index.ts'
import { bundleOf } from '../../platform/repositories/index.ts'
import { exportedMembers } from '../members/index.ts'
import { groupTree, type NamespaceRow } from '../namespaces/index.ts'
import { projectFiles } from '../project-archives/index.ts'
import { contributions, type Relation, relationsOf } from '../relation-exports/index.ts'
import { type Exporting, fileOfLines, fileOfText, fileOfUsers, versionFiles } from '../transfer-archives/index.ts'
import { openWiki } from '../wikis/index.ts'

type Lined = Extract<Relation, { lines: unknown }>

/** The attributes of a group as archives have them: with its name, its path, and the group above it. */
function identified(lines: ExportedLines, { id, name, path, parent_id }: NamespaceRow): ExportedLines {
  return async function* (platform, db, portable) {
    for await (const portion of lines(platform, db, portable)) {
      yield portion.map((line) => ({ id, name, path, parent_id, ...line }))
    }
  }
}

/** The relations of lines of a group, but for the users to whom the others refer. */
const lined = relationsOf('group').filter(
  (relation): relation is Lined => relation.form !== 'archive' && relation.name !== contributions,
)
const members: Lined = { name: 'members', batches: true, form: 'lines', lines: exportedMembers }

/** The files of one group of an archive. */
function filesOfGroup(platform: Platform, portable: Portable, group: NamespaceRow, users: Set<number>): ExportedFile[] {
  const own: Portable = { ...portable, id: group.id, namespaceId: group.id }
  const folder = `tree/groups/${group.id}`
  return [...lined, members].map((relation) => {
    if (relation.form === 'lines')
      return fileOfLines(platform, own, `${folder}/${relation.name}.ndjson`, relation, users)
    const self = { ...relation, lines: identified(relation.lines, group) }
    return fileOfLines(platform, own, `${folder}.json`, self, users)
  })
}

async function wikiOf(platform: Platform, group: NamespaceRow): Promise<ExportedFile[]> {
  const wiki = await openWiki(platform, { group })
  return wiki ? bundleOf(platform, `repositories/${group.id}.wiki.bundle`, wiki.opened) : []
}

/**
 * The files of the archive of a group, with the groups below it and without projects (contract 25, Archive of a group). The users to whom
 * the others refer are the last one, since they are known only then.
 */
async function* groupFiles(platform: Platform, { portable }: Exporting): AsyncGenerator<readonly ExportedFile[]> {
  const groups = await groupTree(platform.database.read, portable.id)
  const users = new Set<number>()
  yield versionFiles(platform)
  yield [fileOfText(platform, 'tree/groups/_all.ndjson', groups.map(({ id }) => `${id}\n`).join(''))]
  for (const group of groups) {
    yield filesOfGroup(platform, portable, group, users)
    yield await wikiOf(platform, group)
  }
  yield [fileOfUsers(platform, `tree/groups/${portable.id}/${contributions}.ndjson`, users)]
}

/** Answers `transfer_archives.files`: the files of the archive of a project or group. */
export const archiveFiles = (platform: Platform, exporting: Exporting): AsyncGenerator<readonly ExportedFile[]> =>
  exporting.portable.kind === 'project' ? projectFiles(platform, exporting) : groupFiles(platform, exporting)
