import { nothing, pageOf, raw, reading, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { project } from '../projects/index.ts'
import { SecureFile } from './present.ts'
import { createFile, downloadFile, getFile, listFiles, removeFile } from './secure-files.ts'

/** A file has fewer bytes than this. */
const tooManyBytes = 5 * 1024 * 1024

const shared = { tag: 'Secure files', subject: project } as const
const read = { ...shared, allow: 'read_secure_files', scopes: reading, jobToken: true } as const
const write = { ...shared, allow: 'admin_secure_files', scopes: writing } as const
const list = '/projects/:id/secure_files'
const one = `${list}/:secure_file_id` as const
const filePath = { secure_file_id: t.id() }

export const secureFilesList = operation({
  ...read,
  id: 'secure_files.list',
  contract: 'x.secure_files_list',
  method: 'GET',
  path: list,
  summary: 'List the secure files of a project',
  result: [200, pageOf(SecureFile)],
  run: ({ platform, subject, page }) => listFiles(platform, subject, page),
})

export const secureFilesGet = operation({
  ...read,
  id: 'secure_files.get',
  contract: 'x.secure_files_get',
  method: 'GET',
  path: one,
  summary: 'Get a secure file without its content',
  params: filePath,
  result: [200, SecureFile],
  run: ({ platform, subject, params }) => getFile(platform, subject, params.secure_file_id),
})

export const secureFilesDownload = operation({
  ...read,
  id: 'secure_files.download',
  contract: 'x.secure_files_download',
  method: 'GET',
  path: `${one}/download`,
  summary: 'Download a secure file',
  params: filePath,
  result: [200, { ...raw, mediaType: 'application/octet-stream' }],
  run: ({ platform, subject, params }) => downloadFile(platform, subject, params.secure_file_id),
})

export const secureFilesCreate = operation({
  ...write,
  id: 'secure_files.create',
  contract: 'x.secure_files_create',
  method: 'POST',
  path: list,
  summary: 'Upload a secure file, which is stored encrypted',
  params: {
    name: t.required(t.string({ description: 'Unique in the project.' })),
    file: t.requiredFile({ description: 'Less than 5 MiB.' }),
    permissions: t.string({ description: 'Accepted, without an effect.' }),
  },
  largestFileBytes: async () => tooManyBytes - 1,
  result: [201, SecureFile],
  run: ({ platform, subject, params: { name, file } }) => createFile(platform, subject, { name, file }),
})

export const secureFilesDelete = operation({
  ...write,
  id: 'secure_files.delete',
  contract: 'x.secure_files_delete',
  method: 'DELETE',
  path: one,
  summary: 'Delete a secure file',
  params: filePath,
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified }) => removeFile(platform, subject, params.secure_file_id, unmodified),
})
