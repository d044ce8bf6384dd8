import type { Actor } from '../../api/index.ts'
import type { Oid } from '../../infra/git/index.ts'
import { type ActionTexts, type CommitWriter, changesOf, type FileAction, writableRef } from '../commits/index.ts'
import type { Project } from '../projects/index.ts'
import { type OpeningNeeds, openRepositoryForWriting } from '../repositories/index.ts'

export type FileWritingNeeds = OpeningNeeds & { writer: CommitWriter }

/** What the three operations on a file have in common (contract 22, x.files_create, x.files_update, x.files_delete). */
export type FileWriteParams = {
  branch: string
  commit_message: string
  content?: string
  encoding?: FileAction['encoding']
  start_branch?: string
  author_name?: string
  author_email?: string
  last_commit_id?: string
  execute_filemode?: boolean
}

/** Writes single files for the API: each time one commit. */
export type FileWriting = ReturnType<typeof createFileWriting>

/** How the operations on one file speak. */
const fileTexts: ActionTexts = {
  stale: () => 'You are attempting to update a file that has changed since you started editing it.',
  contentName: () => 'content',
}

export function createFileWriting(needs: FileWritingNeeds) {
  const { writer } = needs

  return {
    /**
     * Makes, changes or removes a file on a branch.
     * @returns the commit's id
     * @throws ApiError 400 with the sentences of the contract
     */
    async write(
      project: Project,
      actor: Actor,
      action: 'create' | 'update' | 'delete',
      path: string,
      params: FileWriteParams,
    ): Promise<Oid> {
      const { branch, commit_message: message, content, encoding, last_commit_id, execute_filemode } = params
      const opened = await openRepositoryForWriting(needs, project)
      writableRef(branch)
      await writer.requirePush(project, actor, branch, 400)
      const actions = [{ action, file_path: path, content, encoding, last_commit_id, execute_filemode }]
      return writer.write({
        opened,
        actor,
        branch,
        message,
        start: { branch: params.start_branch || undefined },
        author: { name: params.author_name, email: params.author_email },
        build: (source) => changesOf(source, actions, fileTexts),
      })
    },
  }
}
