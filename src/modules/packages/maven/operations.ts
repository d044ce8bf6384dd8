import { streamOf } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { forClients } from '../access/callers.ts'
import { type ServedPlace, servedGroup, servedServer } from '../access/places.ts'
import { servedProject } from '../access/subjects.ts'
import { packageFileAnswers, packageFileBytes } from '../files/serving.ts'
import { downloadMaven } from './download.ts'
import { publishMaven } from './publish.ts'

const tokens = { tokenHeaders: true } as const
const project = servedProject(tokens)
const shared = { ...forClients, spanning: ['path'] } as const
const empty = { headers: { 'Content-Type': 'text/plain' }, body: '' }

export const mavenPublish = operation({
  ...shared,
  id: 'maven_packages.publish',
  contract: 'x.maven_publish',
  method: 'PUT',
  path: '/projects/:id/packages/maven/:path/:file_name',
  summary: 'Upload a Maven file',
  description: 'What `mvn deploy` sends. A file `.sha1` is compared with the stored file, a file `.md5` is ignored.',
  subject: project,
  allow: 'publish_packages',
  stream: 'application/octet-stream',
  result: [200, { raw: true, mediaType: 'text/plain' }],
  answers: { 204: 'The SHA-1 is that of the stored file.', 409: 'The SHA-1 is not that of the stored file.' },
  async run({ platform, subject, params, request, setStatus }) {
    const isCompared = await publishMaven(platform, subject, params, streamOf(request))
    if (isCompared) setStatus(204)
    return empty
  },
})

/** Where the routes of a level begin, and how its operations are named. */
const levels = {
  project: { path: '/projects/:id/packages/maven', prefix: '', subject: project, of: 'a project' },
  group: {
    ...{ path: '/groups/:id/-/packages/maven', prefix: 'group_', of: 'a group' },
    subject: servedGroup({ ...tokens, includesOpen: true }),
  },
  server: { path: '/packages/maven', prefix: 'instance_', subject: servedServer(tokens), of: 'the server' },
} as const

function downloadAt({ path, prefix, subject, of }: (typeof levels)[keyof typeof levels]) {
  const placeOf = (served: ServedPlace) => served
  return operation({
    ...shared,
    id: `${prefix}maven_packages.download`,
    contract: `x.maven_${prefix}download`,
    method: 'GET',
    path: `${path}/:path/:file_name` as const,
    summary: `Download a Maven file of ${of}`,
    description: 'The digests `.sha1` and `.md5` of each file are answered as text.',
    subject: subject as typeof project,
    allow: 'read_packages',
    result: [200, { raw: true, mediaType: ['text/plain', packageFileBytes.mediaType] }],
    answers: {
      206: packageFileAnswers[206],
      302: 'The address of the file at the repository to which packages are forwarded.',
    },
    run: ({ platform, subject: served, params, request, setStatus }) =>
      downloadMaven(platform, placeOf(served), params as { path: string; file_name: string }, { request, setStatus }),
  })
}

export const mavenDownloads = Object.values(levels).map(downloadAt)
