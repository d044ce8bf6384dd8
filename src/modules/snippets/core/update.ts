import { notFound, type RequestInfo, type UserActor } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { FileChange } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { changesOf, type FileAction } from '../../commits/index.ts'
import { checkPublished } from '../../spam/index.ts'
import { refused, type SnippetSource, writeSnippet } from '../repository/write.ts'
import { type Place, requireOwnSnippet, type Snippet } from './access.ts'
import type { ChangedFile, SnippetChanges } from './params.ts'
import { invalidActions, requireAllowed, requireLengths } from './rules.ts'
import { snippetById, updateSnippet } from './store.ts'

/** Who changes a snippet, and where it is looked for. */
export type Change = Place & { actor: UserActor; request: RequestInfo }

const isBlank = (text: string | undefined) => text === undefined || text.trim() === ''

/** Whether a change of a file has what its action needs (contract 3.13, the table of actions). */
const isComplete: Record<ChangedFile['action'], (file: ChangedFile) => boolean> = {
  create: ({ content }) => !isBlank(content),
  update: ({ content, file_path: path, previous_path: previous }) =>
    !isBlank(content) && !isBlank(path) && (isBlank(previous) || previous === path),
  delete: ({ file_path: path }) => !isBlank(path),
  move: ({ file_path: path, previous_path: previous }) => !isBlank(path) && !isBlank(previous) && path !== previous,
}

const hasRepeated = (values: readonly string[]) => new Set(values).size < values.length

/** @throws ApiError 422 */
function requireComplete(files: readonly ChangedFile[]): void {
  const targets = files.flatMap(({ file_path: path }) => (isBlank(path) ? [] : (path ?? [])))
  const sources = files.flatMap(({ action, previous_path: path }) => (action === 'move' ? (path ?? []) : []))
  const isWhole = files.every((file) => isComplete[file.action](file))
  if (!isWhole || hasRepeated(targets) || hasRepeated(sources)) throw invalidActions()
}

/** Returns the first names `snippetfile<N>.txt` that are free. */
function freeNames(taken: ReadonlySet<string>): () => string {
  let number = 0
  return () => {
    for (;;) {
      number += 1
      const name = `snippetfile${number}.txt`
      if (!taken.has(name)) return name
    }
  }
}

function actionsOf(files: readonly ChangedFile[], paths: readonly string[]): FileAction[] {
  const nextName = freeNames(new Set([...paths, ...files.flatMap(({ file_path: path }) => path ?? [])]))
  return files.map(({ action, file_path: path, previous_path: previous, content }) => ({
    action,
    file_path: isBlank(path) ? nextName() : (path ?? ''),
    ...(action === 'move' ? { previous_path: previous ?? '' } : {}),
    // A file that is moved keeps its content, unless there is a new one.
    ...(content && action !== 'delete' ? { content } : {}),
  }))
}

/** The deprecated form: new content, a new name, or both, for the only file. @throws ApiError 400 for several files */
function singleAction({ content, file_name: name }: SnippetChanges, paths: readonly string[]): FileAction[] {
  const [path, other] = paths
  if (path === undefined || other !== undefined) {
    throw refused(400, 'To update Snippets with multiple files, you must use the `files` parameter')
  }
  const text = content === undefined ? {} : { content }
  if (name !== undefined && name !== path) return [{ action: 'move', file_path: name, previous_path: path, ...text }]
  return content === undefined ? [] : [{ action: 'update', file_path: path, content }]
}

async function buildChanges(source: SnippetSource, changes: SnippetChanges): Promise<FileChange[]> {
  const { files } = changes
  return changesOf(source, files ? actionsOf(files, source.paths) : singleAction(changes, source.paths))
}

/** The texts that a request gives. */
function textsOf({ title, description, files = [], content, file_name: name }: SnippetChanges) {
  const paths = [...files.flatMap(({ file_path: path }) => path ?? []), ...(name === undefined ? [] : [name])]
  const contents = [...files.flatMap((file) => file.content ?? []), ...(content === undefined ? [] : [content])]
  return { title, description, paths, contents }
}

/** Asks the spam checkers when a public snippet gets a new title, content or visibility. @throws ApiError 400, 409 */
async function checkSpamOf(platform: Platform, { actor, request }: Change, snippet: Snippet, changes: SnippetChanges) {
  const { title = snippet.title, visibility = snippet.visibility } = changes
  const { description, contents } = textsOf(changes)
  const isChanged = title !== snippet.title || visibility !== snippet.visibility || contents.length > 0
  if (visibility !== 'public' || !isChanged) return
  const text = [description ?? snippet.description ?? '', ...contents].join('\n')
  await checkPublished(platform, { kind: 'snippet', action: 'update', title, text, actor, request })
}

/**
 * Changes a snippet; all changes of files make one commit (contract 3.13). When a change of a file fails, nothing is changed.
 * @throws ApiError 400, 403, 404, 409, 422
 */
export async function changeSnippet(platform: Platform, change: Change, id: number, changes: SnippetChanges) {
  const { actor } = change
  const snippet = await requireOwnSnippet(platform, change, actor, id)
  const { title, description, visibility, files, content, file_name: name } = changes
  const settings = await platform.settings.current()
  requireLengths(textsOf(changes), settings)
  if (visibility && visibility !== snippet.visibility) requireAllowed(platform, visibility, actor, settings)
  if (files) requireComplete(files)
  await checkSpamOf(platform, change, snippet, changes)
  if (files || content !== undefined || name !== undefined) {
    const build = (source: SnippetSource) => buildChanges(source, changes)
    await writeSnippet(platform, snippet.id, actor, { verb: 'updating', message: 'Update snippet', build })
  }
  const attributes = { title, description, visibility, updated_at: now(platform.clock) }
  const isThere = await platform.database.write((tx) => updateSnippet(tx, snippet.id, attributes))
  const row = isThere && (await snippetById(platform.database.read, snippet.id))
  if (!row) throw notFound('Snippet')
  return row
}
