import { nothing, Type, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { filesThrottle } from '../throttle.ts'
import { fileContent, fileUpload, fileWrite, lastCommit } from './params.ts'
import { largestUpload, uploadFile, writeFile } from './write-file.ts'

const common = {
  path: '/projects/:id/repository/files/:file_path',
  tag: 'Repository files',
  subject: project,
  allow: 'push_code',
  scopes: writing,
  throttle: filesThrottle,
} as const

const WrittenFile = Type.Object({ file_path: Type.String(), branch: Type.String() }, { title: 'WrittenFile' })

export const filesCreate = operation({
  ...common,
  id: 'files.create',
  contract: 'x.files_create',
  method: 'POST',
  summary: 'Create a file',
  params: { ...fileWrite, ...fileContent },
  result: [201, WrittenFile],
  async run({ platform, subject, actor, params }) {
    await writeFile(platform, subject, actor, { ...params, action: 'create' })
    return { file_path: params.file_path, branch: params.branch }
  },
})

export const filesUpdate = operation({
  ...common,
  id: 'files.update',
  contract: 'x.files_update',
  method: 'PUT',
  summary: 'Change a file',
  params: { ...fileWrite, ...fileContent, ...lastCommit },
  result: [200, WrittenFile],
  async run({ platform, subject, actor, params }) {
    await writeFile(platform, subject, actor, { ...params, action: 'update' })
    return { file_path: params.file_path, branch: params.branch }
  },
})

export const filesDelete = operation({
  ...common,
  id: 'files.delete',
  contract: 'x.files_delete',
  method: 'DELETE',
  summary: 'Delete a file',
  params: { ...fileWrite, ...lastCommit },
  result: [204, nothing],
  async run({ platform, subject, actor, params }) {
    await writeFile(platform, subject, actor, { ...params, action: 'delete' })
  },
})

export const filesUpload = operation({
  ...common,
  id: 'files.upload',
  contract: 'x.files_upload',
  method: 'POST',
  path: '/projects/:id/repository/files',
  summary: 'Create a file from an uploaded one',
  largestFileBytes: async () => largestUpload,
  params: fileUpload,
  result: [201, WrittenFile],
  async run({ platform, subject, actor, params }) {
    return { file_path: await uploadFile(platform, subject, actor, params), branch: params.branch }
  },
})
