import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { failure, parameterError } from '../../../api/index.ts'
import { type FileMode, type Oid, type TreePath, treePath } from '../../../infra/git/index.ts'
import { type StagedFile, type StagedTree, stagedTree } from './staged-tree.ts'
import type { CommitBase } from './write-commit.ts'

export const actionKinds = ['create', 'delete', 'move', 'update', 'chmod'] as const
export const encodings = ['text', 'base64'] as const

/** A change of one file by a commit (contract 22, x.commits_create). */
export type FileAction = {
  action: (typeof actionKinds)[number]
  file_path: string
  previous_path?: string
  content?: string
  encoding?: (typeof encodings)[number]
  /** Last commit of the file known to the caller. */
  last_commit_id?: string
  execute_filemode?: boolean
}

/** Error texts that differ between the operations that write files. */
export type ActionTexts = {
  /** The refusal when a file has changed since `last_commit_id`. */
  stale(path: string): string
  /** Name of the content parameter in errors. */
  contentName(index: number): string
}

/** Texts of x.commits_create. */
export const commitTexts: ActionTexts = {
  stale: (path) => `The file has changed since you started editing it: ${path}`,
  contentName: (index) => `actions[${index}][content]`,
}

const alreadyExists = () => failure(400, 'A file with this name already exists')
const missing = () => failure(400, "A file with this name doesn't exist")

/** Parses the path of a file to be written. @throws ApiError 400 */
export function writablePath(text: string): TreePath {
  const path = treePath(text)
  if (path) return path
  const isTraversal = text.split('/').some((part) => part === '' || part === '.' || part === '..')
  if (isTraversal) throw failure(400, 'Path cannot include directory traversal')
  if (Buffer.byteLength(text) > 4_096) throw failure(400, 'Path is too long (maximum is 4096 bytes)')
  throw failure(400, "Path cannot include '.git'")
}

/** Anything outside the alphabet of base64, without padding. */
const foreign = /[^A-Za-z0-9+/]/

function isBase64(text: string): boolean {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const digits = text.length - padding
  const isWhole = padding === 0 ? digits % 4 !== 1 : text.length % 4 === 0
  return isWhole && !foreign.test(padding === 0 ? text : text.slice(0, digits))
}

/** Decodes a content; base64 may have line breaks and no padding. @throws ApiError 400, form B */
export function contentBytes(content: string, encoding: FileAction['encoding'], name: string): Buffer {
  if (encoding !== 'base64') return Buffer.from(content)
  const text = /\s/.test(content) ? content.replace(/\s+/g, '') : content
  if (!isBase64(text)) throw parameterError(name, 'is invalid')
  return Buffer.from(text, 'base64')
}

const actionsPerYield = 20

const link = '120000' satisfies FileMode
const submodule = '160000' satisfies FileMode

/** Files that git reads settings from. Clones that check objects refuse commits where one is a symbolic link. */
const settingsFile = /^(?:\.gitmodules|gitmod~\d+)[ .]*$/i

function modeOf(executable: boolean | undefined, before: FileMode): FileMode {
  if (executable === undefined || before === link) return before
  return executable ? '100755' : '100644'
}

/** The file at a path. @throws ApiError 400 when the path is missing or a directory */
async function fileAt(tree: StagedTree, path: TreePath): Promise<StagedFile> {
  const entry = await tree.at(path)
  if (entry.kind !== 'file') throw missing()
  return entry.file
}

/** Adds a file. @throws ApiError 400 when the path is taken or leads through a file */
async function putNew(tree: StagedTree, path: TreePath, file: StagedFile): Promise<void> {
  const entry = await tree.at(path)
  if (entry.kind === 'file') throw alreadyExists()
  if (entry.kind === 'directory') throw failure(400, 'A directory with this name already exists')
  if (entry.kind === 'obstacle') throw failure(400, `Path cannot lead through a file: ${entry.path}`)
  if (file.mode === link && settingsFile.test(path.slice(path.lastIndexOf('/') + 1))) {
    throw failure(400, 'Path cannot be that of a symbolic link')
  }
  tree.put(path, file)
}

/** An action with decoded content and checked paths. */
type Prepared = {
  action: FileAction['action']
  path: TreePath
  previous: TreePath | undefined
  content: Buffer | undefined
  executable: boolean | undefined
}

function prepare(action: FileAction, name: string): Prepared {
  const { content, encoding, previous_path } = action
  return {
    action: action.action,
    path: writablePath(action.file_path),
    previous: action.action === 'move' ? writablePath(previous_path ?? '') : undefined,
    content: content === undefined ? undefined : contentBytes(content, encoding, name),
    executable: action.execute_filemode,
  }
}

async function move(tree: StagedTree, { path, previous = path, content, executable }: Prepared): Promise<void> {
  const file = await fileAt(tree, previous)
  if (file.mode === submodule && content) throw missing()
  if (path === previous) throw alreadyExists()
  tree.remove(previous)
  const mode = file.mode === submodule ? file.mode : modeOf(executable, file.mode)
  await putNew(tree, path, content ? { mode, content } : { ...file, mode })
}

const apply: Record<FileAction['action'], (tree: StagedTree, action: Prepared) => Promise<void>> = {
  async create(tree, { path, content, executable }) {
    await putNew(tree, path, { mode: modeOf(executable, '100644'), content: content ?? Buffer.alloc(0) })
  },
  async update(tree, { path, content, executable }) {
    const { mode } = await fileAt(tree, path)
    if (mode === submodule) throw missing()
    tree.put(path, { mode: modeOf(executable, mode), content: content ?? Buffer.alloc(0) })
  },
  async delete(tree, { path }) {
    await fileAt(tree, path)
    tree.remove(path)
  },
  move,
  async chmod(tree, { path, executable }) {
    const file = await fileAt(tree, path)
    if (file.mode === submodule || file.mode === link) throw failure(400, 'The mode of this file cannot be changed')
    tree.put(path, { ...file, mode: modeOf(executable, file.mode) })
  },
}

const overwrites = (action: FileAction['action']) => action !== 'create' && action !== 'chmod'

/** @throws ApiError 400 when a file has changed after `last_commit_id` */
async function requireCurrent(
  { repository, base }: CommitBase,
  actions: readonly { known: string | undefined; path: TreePath }[],
  texts: ActionTexts,
): Promise<void> {
  const found = new Map<TreePath, Oid | null>()
  for (const { known, path } of actions) {
    if (!known || !base) continue
    if (!found.has(path)) found.set(path, await repository.lastCommitOf(base, path))
    const last = found.get(path)
    if (last && last !== known) throw failure(400, texts.stale(path))
  }
}

/**
 * The changes that a list of actions makes. Each action sees the changes of the earlier ones.
 * @throws ApiError 400 with the sentences of contract 22, x.commits_create
 */
export async function changesOf(source: CommitBase, actions: readonly FileAction[], texts: ActionTexts = commitTexts) {
  const prepared = actions.map((action, index) => prepare(action, texts.contentName(index)))
  const known = prepared.map(({ action, path, previous = path }, index) => ({
    known: overwrites(action) ? actions[index]?.last_commit_id : undefined,
    path: previous,
  }))
  await requireCurrent(source, known, texts)
  const tree = stagedTree(source.repository, source.base)
  for (const [index, action] of prepared.entries()) {
    // Most look-ups are cached and do not wait, so this loop yields to other requests.
    if (index % actionsPerYield === actionsPerYield - 1) await yieldToOthers()
    await apply[action.action](tree, action)
  }
  return tree.changes()
}
