import { nothing, type Operation, operation, Type, t, writing } from '../../../api/index.ts'
import { encodings } from '../../commits/index.ts'
import type { ProjectSubject } from '../../projects/index.ts'
import type { FileWriting } from '../writing.ts'

const tag = 'Repository files'
const path = '/projects/:id/repository/files/:file_path'

const WrittenFile = Type.Object({ file_path: Type.String(), branch: Type.String() }, { title: 'WrittenFile' })

const common = {
  branch: t.requiredNotBlank({ description: 'Gets the commit; made where `start_branch` is given.' }),
  commit_message: t.requiredNotBlank(),
  start_branch: t.string({ description: 'Branch to begin at.' }),
  author_name: t.string(),
  author_email: t.string(),
}

const contentParams = {
  content: t.required(t.string()),
  encoding: t.oneOf(encodings, { description: 'Default `text`.' }),
  execute_filemode: t.boolean({ description: 'Whether the file is a program.' }),
}

const last_commit_id = t.string({
  description: 'The commit that changed the file last, as far as the caller knows; refused when there is a newer one.',
})

/** The operations that write one file (contract 22). */
export function fileWritingOperations({
  files,
  project,
}: {
  files: FileWriting
  project: ProjectSubject
}): Operation[] {
  return [
    operation({
      id: 'files.create',
      contract: 'x.files_create',
      method: 'POST',
      path,
      tag,
      summary: 'Add a file',
      subject: project,
      allow: 'push_code',
      scopes: writing,
      params: { ...common, ...contentParams },
      result: [201, WrittenFile],
      async run({ subject, actor, request, params }) {
        const file_path = request.path.file_path ?? ''
        await files.write(subject, actor, 'create', file_path, params)
        return { file_path, branch: params.branch }
      },
    }),
    operation({
      id: 'files.update',
      contract: 'x.files_update',
      method: 'PUT',
      path,
      tag,
      summary: 'Change a file',
      subject: project,
      allow: 'push_code',
      scopes: writing,
      params: { ...common, ...contentParams, last_commit_id },
      result: [200, WrittenFile],
      async run({ subject, actor, request, params }) {
        const file_path = request.path.file_path ?? ''
        await files.write(subject, actor, 'update', file_path, params)
        return { file_path, branch: params.branch }
      },
    }),
    operation({
      id: 'files.delete',
      contract: 'x.files_delete',
      method: 'DELETE',
      path,
      tag,
      summary: 'Remove a file',
      subject: project,
      allow: 'push_code',
      scopes: writing,
      params: { ...common, last_commit_id },
      result: [204, nothing],
      async run({ subject, actor, request, params }) {
        await files.write(subject, actor, 'delete', request.path.file_path ?? '', params)
      },
    }),
  ]
}
