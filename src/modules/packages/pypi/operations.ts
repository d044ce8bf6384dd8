import { forms } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { forClients } from '../access/callers.ts'
import { servedGroup } from '../access/places.ts'
import { fileTooLarge } from '../access/problems.ts'
import { servedProject } from '../access/subjects.ts'
import { packageFileAnswers, packageFileBytes, servePackageFile } from '../files/serving.ts'
import { findDistribution } from './files.ts'
import { type PypiPlace, pypiIndex, pypiSimple } from './pages.ts'
import { largestDistribution, uploadDistribution, uploadFields } from './upload.ts'

const tokens = { tokenHeaders: false } as const
const project = servedProject(tokens)
const pages = { raw: true, mediaType: ['text/html', 'application/vnd.pypi.simple.v1+json'] } as const

export const pypiUpload = operation({
  ...forClients,
  id: 'pypi_packages.upload',
  contract: 'x.pypi_upload',
  method: 'POST',
  path: '/projects/:id/packages/pypi',
  summary: 'Upload a distribution of a Python package',
  description: 'What twine sends; fields that are not listed are ignored.',
  subject: project,
  allow: 'publish_packages',
  params: uploadFields,
  largestFileBytes: largestDistribution,
  fileTooLarge,
  result: [201, forms.accepted],
  async run({ platform, subject, params }) {
    await uploadDistribution(platform, subject, params)
    return { message: '201 Created' }
  },
})

/** Where the routes of a level begin, and how its operations are named. */
const levels = {
  project: { path: '/projects/:id/packages/pypi', prefix: '', subject: project, of: 'a project' },
  group: { path: '/groups/:id/-/packages/pypi', prefix: 'group_', subject: servedGroup(tokens), of: 'a group' },
} as const

/** The operations that each level has. */
function operationsAt({ path, prefix, subject, of }: (typeof levels)[keyof typeof levels]) {
  const own = { ...forClients, subject: subject as typeof project, method: 'GET', allow: 'read_packages' } as const
  const id = (name: string) => ({ id: `${prefix}pypi_packages.${name}`, contract: `x.pypi_${prefix}${name}` })
  const placeOf = (served: PypiPlace) => served
  const textsOf = (params: unknown) => params as Record<string, string>
  return [
    operation({
      ...own,
      ...id('index'),
      path: `${path}/simple` as const,
      summary: `List the Python packages of ${of}`,
      result: [200, pages],
      run: ({ platform, subject: served, request }) => pypiIndex(platform, placeOf(served), request),
    }),
    operation({
      ...own,
      ...id('simple'),
      path: `${path}/simple/:package_name` as const,
      summary: `List the distributions of a Python package of ${of}`,
      result: [200, pages],
      answers: { 302: 'The address of the package at the index to which packages are forwarded.' },
      run: ({ platform, subject: served, params, request, setStatus }) =>
        pypiSimple(platform, placeOf(served), { name: textsOf(params).package_name ?? '', request }, () =>
          setStatus(302),
        ),
    }),
    operation({
      ...own,
      ...id('file'),
      path: `${path}/files/:digest/:file_identifier` as const,
      spanning: ['file_identifier'],
      summary: `Download a distribution of a Python package of ${of}`,
      result: [200, packageFileBytes],
      answers: packageFileAnswers,
      async run({ platform, subject: served, params, request, setStatus }) {
        const { digest: sha256 = '', file_identifier: fileName = '' } = textsOf(params)
        const found = await findDistribution(platform, placeOf(served), { sha256, fileName })
        return servePackageFile(platform, { request, setStatus }, found)
      },
    }),
  ]
}

export const pypiAtLevels = Object.values(levels).flatMap(operationsAt)
