import type { Actor } from '../../../api/index.ts'
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
import type { FileWrite } from './params.ts'

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
