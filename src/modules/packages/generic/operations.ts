import { forms, streamOf, Type, t } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { forClients } from '../access/callers.ts'
import { servedProject } from '../access/subjects.ts'
import { filesView } from '../files/files.ts'
import { PublishedPackageFile } from '../files/present.ts'
import { packageFileAnswers, packageFileBytes, servePackageFile } from '../files/serving.ts'
import { findGeneric, publishGeneric } from './generic.ts'
import { readGenericPath } from './names.ts'

const shared = {
  ...forClients,
  path: '/projects/:id/packages/generic/:package_name/:package_version/:file_path',
  spanning: ['file_path'],
  subject: servedProject({ tokenHeaders: true }),
} as const

export const genericPublish = operation({
  ...shared,
  id: 'generic_packages.publish',
  contract: 'x.generic_publish',
  method: 'PUT',
  summary: 'Publish a file of a generic package',
  description:
    'The body is the file. A second file of the same name is kept beside the first, and the newest is served.',
  allow: 'publish_packages',
  stream: 'application/octet-stream',
  params: {
    status: t.oneOf(['default', 'hidden'], { description: 'The status of the package from now on.' }),
    select: t.oneOf(['package_file'], { description: 'Answers with the file, and the status 200.' }),
  },
  result: [201, Type.Union([PublishedPackageFile, forms.accepted])],
  answers: { 200: ['The file, with `select`.', PublishedPackageFile] },
  async run({ platform, subject, params, request, setStatus }) {
    const { status, select } = params
    const content = streamOf(request)
    const { file } = await publishGeneric(platform, subject, readGenericPath(params), { status, content })
    if (select === undefined) return { message: '201 Created' }
    setStatus(200)
    const { id: project_id } = subject.project
    const view = await filesView(platform, [file], subject.project)
    return PublishedPackageFile.present({ ...file, project_id }, view)
  },
})

export const genericDownload = operation({
  ...shared,
  id: 'generic_packages.download',
  contract: 'x.generic_download',
  method: 'GET',
  summary: 'Download a file of a generic package',
  allow: 'read_packages',
  result: [200, packageFileBytes],
  answers: packageFileAnswers,
  async run({ platform, subject, params, request, setStatus }) {
    const found = await findGeneric(platform, subject, readGenericPath(params))
    return servePackageFile(platform, { request, setStatus }, found)
  },
})
