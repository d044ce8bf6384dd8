import { now } from '../../../infra/database/index.ts'
import { branchRef, type RefName, type TreePath, treePath } from '../../../infra/git/index.ts'
import {
  authoredText,
  BadLine,
  type ImportedLine,
  type Importing,
  type ImportLine,
  linesOf,
  type Platform,
  react,
  requiredText,
  textOf,
  timesOf,
} from '../../../platform/index.ts'
import {
  importBundle,
  insertRepository,
  openRow,
  type RepositoryRow,
  raiseGeneration,
  repositoryOfSnippet,
} from '../../../platform/repositories/index.ts'
import { isWider, visibilityOfLevel } from '../../namespaces/index.ts'
import { importAwards, importNotes } from '../../notes/index.ts'
import { chooseStorage, defaultBranchName, projectById } from '../../projects/index.ts'
import { commitIdentity, presentingUsers, requireUser } from '../../users/index.ts'
import { removeSnippets } from '../core/remove.ts'
import { insertSnippet, updateSnippet } from '../core/store.ts'
import { bundleName } from '../export/bundles.ts'
import { filesAt } from '../repository/repository.ts'

/** Where the bundles of snippets are in an archive. */
const folder = 'snippets'
const longestPath = 255

/** A snippet as a line says it. @throws BadLine */
function readSnippet(into: Importing, line: ImportedLine) {
  const { authorId, text } = authoredText(into, line, textOf(line, 'description'))
  const title = requiredText(line, 'title')
  const path = treePath(textOf(line, 'file_name', longestPath) || 'snippetfile1.txt')
  if (path === null) throw new BadLine('file_name is invalid')
  const times = timesOf(line)
  return {
    bundle: `${folder}/${bundleName({ title, description: textOf(line, 'description'), ...times })}`,
    content: { path, text: textOf(line, 'content', Number.MAX_SAFE_INTEGER) },
    row: { author_id: authorId, title, description: text, imported_from: into.source },
    ...{ visibility: visibilityOfLevel(line.visibility_level) ?? ('private' as const), times },
  }
}

type Read = ReturnType<typeof readSnippet>

/** Writes the rows of a snippet that nothing serves. One that stays so, since its process was killed, is removed like any other. */
async function insertUnfinished(platform: Platform, into: Importing, { row, visibility }: Read): Promise<number> {
  const { database, clock, random, settings } = platform
  const storage = chooseStorage((await settings.current()).repository_storages_weighted, random())
  await platform.storages.require(storage)
  const at = now(clock)
  return database.write(async (tx) => {
    const project = await projectById(tx, into.id)
    if (!project || project.pending_delete) throw new BadLine('the project does not exist any more')
    // No more open than its project.
    const own = isWider(visibility, project.visibility) ? project.visibility : visibility
    const id = await insertSnippet(tx, { ...row, project_id: into.id, visibility: own, created_at: at, updated_at: at })
    await insertRepository(tx, { owner: { snippetId: id }, kind: 'snippet', storage, objectFormat: 'sha1', now: at })
    return id
  })
}

/** Writes the content of a line as the only commit of a repository. */
async function commitContent(platform: Platform, into: Importing, row: RepositoryRow, ref: RefName, { content }: Read) {
  if (content.text === null || content.text === '') throw new BadLine('content is missing')
  const repository = await openRow(platform, row, ref)
  const importer = await requireUser(platform.database.read, into.importer.userId)
  const { name, email } = commitIdentity(importer, await presentingUsers(platform))
  const person = { name, email, date: now(platform.clock).replace(/\.\d+Z$/, '.000Z') }
  const changes = [{ path: content.path as TreePath, content: Buffer.from(content.text) }]
  await repository.withIncoming(async (incoming) => {
    const commit = { parent: null, author: person, committer: person, message: 'Initial commit', changes }
    const oid = await incoming.createCommit(commit)
    await incoming.admit()
    await repository.updateRefs([{ ref, old: null, new: oid }])
  })
}

/** Fills the repository of a snippet from its bundle, else from the line. @returns the path of its first file */
async function fill(platform: Platform, into: Importing, id: number, read: Read): Promise<string> {
  const row = await repositoryOfSnippet(platform.database.read, id)
  const ref = branchRef(await defaultBranchName(platform, { default_branch: null }))
  if (!row || !ref) throw new BadLine('the project does not exist any more')
  const place = await into.placeOf(read.bundle)
  const repository = await openRow(platform, row, ref)
  if (place) await importBundle(repository, place, into.signal)
  else await commitContent(platform, into, { ...row, generation: Math.max(1, row.generation) }, ref, read)
  const snapshot = await repository.refs(`import-snippet-${id}`)
  const [branch] = snapshot.branches
  const head = branch && branchRef(branch.name)
  if (!branch || !head || snapshot.branches.length > 1) throw new BadLine('the bundle has not one branch')
  await repository.setHead(head)
  const [first] = await filesAt(repository, branch.oid)
  if (!first) throw new BadLine('the snippet has no files')
  return first.path
}

/** Imports a snippet of a project with its files, notes and award emoji (contract 14, snippets). */
export const importSnippet: ImportLine = async (platform, into, line) => {
  const read = readSnippet(into, line)
  const id = await insertUnfinished(platform, into, read)
  try {
    const file_name = await fill(platform, into, id, read)
    const stored = await repositoryOfSnippet(platform.database.read, id)
    return async (tx) => {
      await updateSnippet(tx, id, { file_name, ...read.times })
      if (stored) {
        await raiseGeneration(tx, stored.id)
        await react(platform, tx, 'repository.changed', { repositoryId: stored.id })
      }
      const noteable = { type: 'Snippet' as const, projectId: into.id, id, commitId: null }
      await importNotes(tx, into, noteable, linesOf(line, 'notes'))
      await importAwards(tx, into, noteable, linesOf(line, 'award_emoji'))
    }
  } catch (error) {
    await removeSnippets(platform, [id])
    throw error
  }
}
