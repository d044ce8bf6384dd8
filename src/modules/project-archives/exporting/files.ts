import { now } from '../../../infra/database/index.ts'
import type { ExportedFile, ExportedFiles, ExportedLines, Platform, Portable } from '../../../platform/index.ts'
import { bundleOf } from '../../../platform/repositories/index.ts'
import { exportedLfsObjects, lfsIndex } from '../../lfs/index.ts'
import { exportedMembers } from '../../members/index.ts'
import { avatarFile } from '../../namespaces/index.ts'
import { projectById } from '../../projects/index.ts'
import { contributions, type Relation, relationNamed, relationsOf } from '../../relation-exports/index.ts'
import { exportedSnippetBundles } from '../../snippets/index.ts'
import { type Exporting, fileOfLines, fileOfText, fileOfUsers, versionFiles } from '../../transfer-archives/index.ts'
import { exportedUploads } from '../../uploads/index.ts'
import { openAvatar } from '../../users/index.ts'
import { openWiki } from '../../wikis/index.ts'

type Lined = Extract<Relation, { lines: unknown }>

const isLined = (relation: Relation): relation is Lined => relation.form !== 'archive'

/** The attributes of a project with its default branch, which a bundle does not say, and the description that the request has. */
function described(lines: ExportedLines, description: string | null): ExportedLines {
  return async function* (platform, db, portable) {
    const default_branch = (await projectById(db, portable.id))?.default_branch ?? null
    const more = { default_branch, ...(description !== null && { description }) }
    for await (const portion of lines(platform, db, portable)) yield portion.map((line) => ({ ...line, ...more }))
  }
}

/** The tree of relations: `project.json`, and a file for each relation of lines (contract 25, Archive of a project). */
function treeFiles(platform: Platform, { portable, description }: Exporting, users: Set<number>): ExportedFile[] {
  const lined = relationsOf('project')
    .filter(isLined)
    .filter(({ name }) => name !== contributions)
  const members: Lined = { name: 'project_members', batches: true, form: 'lines', lines: exportedMembers }
  return [...lined, members].map((relation) => {
    if (relation.form === 'lines') {
      return fileOfLines(platform, portable, `tree/project/${relation.name}.ndjson`, relation, users)
    }
    const self = { ...relation, lines: described(relation.lines, description) }
    return fileOfLines(platform, portable, 'tree/project.json', self, users)
  })
}

/** The files of a relation below a folder. @returns the paths that were yielded, in `paths` */
async function* below(
  platform: Platform,
  portable: Portable,
  folder: string,
  found: ExportedFiles,
  paths: string[] = [],
): AsyncGenerator<ExportedFile[]> {
  for await (const files of found(platform, portable)) {
    paths.push(...files.map(({ path }) => path))
    yield files.map((file) => ({ ...file, path: `${folder}/${file.path}` }))
  }
}

async function wikiFiles(platform: Platform, { id }: Portable): Promise<ExportedFile[]> {
  const project = await projectById(platform.database.read, id)
  const wiki = project && (await openWiki(platform, { project }))
  return wiki ? bundleOf(platform, 'project.wiki.bundle', wiki.opened) : []
}

async function avatarFiles(platform: Platform, { id }: Portable): Promise<ExportedFile[]> {
  const avatar = (await projectById(platform.database.read, id))?.avatar
  if (!avatar) return []
  async function open() {
    const opened = await openAvatar(platform, 'project', id, avatar as string)
    return opened && { sizeBytes: opened.sizeBytes, content: opened.stream }
  }
  return [{ path: `avatar/${avatarFile(avatar)}`, modifiedAt: now(platform.clock), open }]
}

/**
 * The files of the archive of a project (contract 25, Archive of a project). The users to whom the others refer are the last one, since
 * they are known only then.
 */
export async function* projectFiles(platform: Platform, exporting: Exporting): AsyncGenerator<readonly ExportedFile[]> {
  const { portable } = exporting
  const users = new Set<number>()
  yield versionFiles(platform)
  yield treeFiles(platform, exporting, users)
  const repository = relationNamed('project', 'repository')
  if (repository?.form === 'archive') yield* repository.files(platform, portable)
  yield await wikiFiles(platform, portable)
  yield* below(platform, portable, 'snippets', exportedSnippetBundles)
  yield* below(platform, portable, 'uploads', exportedUploads)
  const oids: string[] = []
  yield* below(platform, portable, 'lfs-objects', exportedLfsObjects, oids)
  if (oids.length > 0) yield [fileOfText(platform, 'lfs-objects.json', lfsIndex.contentOf(oids))]
  yield await avatarFiles(platform, portable)
  yield [fileOfUsers(platform, `tree/project/${contributions}.ndjson`, users)]
}
