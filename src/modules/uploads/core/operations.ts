import { notFound, nothing, pageOf, reading, recordNotFound, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { atProjectAndGroup } from '../../projects/index.ts'
import { fileAnswers, servedFile, serveFile } from '../files/serving.ts'
import { largestAttachmentBytes } from '../files/storing.ts'
import { filename, malformedForm, newFile, uploadId } from './params.ts'
import { Upload, UploadEntry } from './present.ts'
import * as uploads from './uploads.ts'

const contracts = {
  project: { create: '3.1', list: '3.2', get: '3.3', getAt: '3.4', delete: '3.5', deleteAt: '3.6' },
  group: { create: 'x.group_upload_create', list: '3.7', get: '3.7b', getAt: '3.7c', delete: '3.8', deleteAt: '3.8b' },
} as const

/** Files that Markdown of a project or group refers to (contract 08). */
export const uploadOperations = atProjectAndGroup(({ kind, path, subject }) => [
  operation({
    id: `${kind}_uploads.create`,
    contract: contracts[kind].create,
    method: 'POST',
    path: `${path}/uploads`,
    tag: 'Uploads',
    summary: `Upload a file for the Markdown of a ${kind}`,
    description: 'Images lose EXIF, XMP and IPTC. Of several files the last one counts.',
    subject,
    allow: 'create_uploads',
    scopes: writing,
    largestFileBytes: largestAttachmentBytes,
    malformedBody: malformedForm,
    params: { file: newFile },
    result: [201, Upload],
    run: ({ platform, subject, actor, params }) => uploads.createUpload(platform, subject, actor, params.file),
  }),
  operation({
    id: `${kind}_uploads.list`,
    contract: contracts[kind].list,
    method: 'GET',
    path: `${path}/uploads`,
    tag: 'Uploads',
    summary: `List the uploads of a ${kind}, the newest first`,
    subject,
    allow: 'admin_uploads',
    scopes: reading,
    result: [200, pageOf(UploadEntry)],
    run: ({ platform, subject, page }) => uploads.listUploads(platform, subject, page),
  }),
  operation({
    id: `${kind}_uploads.get`,
    contract: contracts[kind].get,
    method: 'GET',
    path: `${path}/uploads/:upload_id`,
    tag: 'Uploads',
    summary: `Download an upload of a ${kind} by its id`,
    subject,
    allow: 'admin_uploads',
    scopes: reading,
    params: { upload_id: uploadId },
    result: [200, servedFile],
    answers: fileAnswers,
    async run({ platform, subject, params, request, setStatus }) {
      const upload = await uploads.requireUploadById(platform, subject, params.upload_id)
      return serveFile(platform, { request, setStatus }, uploads.servedUpload(upload), 'api')
    },
  }),
  operation({
    id: `${kind}_uploads.get_by_secret`,
    contract: contracts[kind].getAt,
    method: 'GET',
    path: `${path}/uploads/:secret/:filename`,
    tag: 'Uploads',
    summary: `Download an upload of a ${kind} by its secret and file name`,
    subject,
    allow: 'read_uploads',
    scopes: reading,
    params: { filename },
    result: [200, servedFile],
    answers: fileAnswers,
    async run({ platform, subject, params, request, setStatus }) {
      const upload = await uploads.requireUploadAt(platform, subject, params)
      return serveFile(platform, { request, setStatus }, uploads.servedUpload(upload), 'api')
    },
  }),
  operation({
    id: `${kind}_uploads.delete`,
    contract: contracts[kind].delete,
    method: 'DELETE',
    path: `${path}/uploads/:upload_id`,
    tag: 'Uploads',
    summary: `Delete an upload of a ${kind} by its id`,
    subject,
    allow: 'delete_uploads',
    scopes: writing,
    params: { upload_id: uploadId },
    result: [204, nothing],
    async run({ platform, subject, params, unmodified }) {
      const upload = await uploads.requireUploadById(platform, subject, params.upload_id)
      if (!(await uploads.deleteUpload(platform, upload, unmodified))) throw recordNotFound()
    },
  }),
  operation({
    id: `${kind}_uploads.delete_by_secret`,
    contract: contracts[kind].deleteAt,
    method: 'DELETE',
    path: `${path}/uploads/:secret/:filename`,
    tag: 'Uploads',
    summary: `Delete an upload of a ${kind} by its secret and file name`,
    subject,
    allow: 'delete_uploads',
    scopes: writing,
    params: { filename },
    result: [204, nothing],
    async run({ platform, subject, params, unmodified }) {
      const upload = await uploads.requireUploadAt(platform, subject, params)
      if (!(await uploads.deleteUpload(platform, upload, unmodified))) throw notFound()
    },
  }),
])
