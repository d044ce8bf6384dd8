import { readFile } from 'node:fs/promises'
import { type Actor, failure, type ParamValues } from '../../../api/index.ts'
import type { Oid } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  type ActionTexts,
  changesOf,
  type FileAction,
  requirePush,
  writableRef,
  writeCommit,
  writeInTurn,
} from '../../commits/index.ts'
import type { Project } from '../../projects/index.ts'
import type { FileWrite, fileUpload } from './params.ts'

/** A change of one file (contract 22, x.files_create, x.files_update, x.files_delete). */
type FileChange = FileWrite &
  Pick<FileAction, 'content' | 'encoding' | 'last_commit_id' | 'execute_filemode'> & {
    action: 'create' | 'update' | 'delete'
    file_path: string
  }

const texts: ActionTexts = {
  stale: () => 'You are attempting to update a file that has changed since you started editing it.',
  contentName: () => 'content',
}

/** Creates, changes or deletes a file on a branch in one commit. @throws ApiError 400 with the contract's texts */
export async function writeFile(
  platform: Platform,
  project: Project,
  actor: Actor,
  { branch, commit_message: message, start_branch, author_name: name, author_email: email, ...action }: FileChange,
): Promise<Oid> {
  return writeInTurn(platform, project, async (opened) => {
    writableRef(branch)
    await requirePush(platform, project, actor, branch, 400)
    return writeCommit(platform, {
      ...{ opened, actor, branch, message },
      start: { branch: start_branch || undefined },
      author: { name, email },
      build: (source) => changesOf(source, [action], texts),
    })
  })
}

/** Larger files are pushed: the whole file is in memory, as the body of x.files_create is. In bytes. */
export const largestUpload = 10 * 1024 * 1024

/** The name of a file without the folders that some clients send before it. */
const nameOf = (filename: string) => filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1)

/** Creates a file from an uploaded one (contract 22, x.files_upload). @returns its path */
export async function uploadFile(
  platform: Platform,
  project: Project,
  actor: Actor,
  { file, directory = '', ...change }: ParamValues<typeof fileUpload>,
): Promise<string> {
  if (file.sizeBytes > largestUpload) throw failure(413, 'The file is too large (maximum is 10 MiB)')
  const folder = directory.replace(/\/+$/, '')
  const file_path = `${folder === '' ? '' : `${folder}/`}${nameOf(file.filename)}`
  const content = (await readFile(file.path)).toString('base64')
  await writeFile(platform, project, actor, { ...change, action: 'create', file_path, content, encoding: 'base64' })
  return file_path
}
