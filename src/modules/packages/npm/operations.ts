import { header, notFound, nothing, type RequestInfo, streamOf, Type } from '../../../api/index.ts'
import { operation, type Platform } from '../../../platform/index.ts'
import { actorOf, forClients } from '../access/callers.ts'
import { type ServedPlace, servedGroup, servedServer } from '../access/places.ts'
import { type ServedProject, servedProject } from '../access/subjects.ts'
import { loadPackages } from '../core/load.ts'
import { projectOf } from '../core/packages.ts'
import { Package } from '../core/present.ts'
import { packageOf } from '../core/store.ts'
import { packageFileAnswers, packageFileBytes, servePackageFile } from '../files/serving.ts'
import { newestFile } from '../files/store.ts'
import { answerAudit } from './audits.ts'
import { deprecateVersions } from './deprecation.ts'
import { listTags, putTag, removeTag } from './dist-tags.ts'
import { versionOfTarball } from './names.ts'
import { npmMetadata } from './packument.ts'
import { publishNpm } from './publish.ts'

const shared = { ...forClients, spanning: ['package_name', 'file_name'] } as const
const tokens = { tokenHeaders: true } as const
const project = { ...shared, subject: servedProject(tokens) } as const

/** A published version, as lists show packages. */
async function shownPackage(platform: Platform, served: ServedProject, name: string, request: RequestInfo) {
  const { found } = await publishNpm(platform, served, name, streamOf(request))
  const { shown, view } = await loadPackages(platform, [found], projectOf(served.project, actorOf(served.caller)))
  const [one] = shown
  if (!one) throw new Error(`package ${found.id} was not loaded`)
  return Package.present(one, view)
}

export const npmPublish = operation({
  ...project,
  id: 'npm_packages.publish',
  contract: 'x.npm_publish',
  method: 'PUT',
  path: '/projects/:id/packages/npm/:package_name',
  summary: 'Publish or deprecate an npm package',
  description: 'What `npm publish` sends; with the header `Npm-Command: deprecate` what `npm deprecate` sends.',
  allow: 'publish_packages',
  stream: 'application/octet-stream',
  result: [200, Type.Union([Package, Type.Object({}, { title: 'DeprecatedVersions' })])],
  async run({ platform, subject, params: { package_name: name }, request }) {
    if (header(request, 'npm-command') !== 'deprecate') return shownPackage(platform, subject, name, request)
    await deprecateVersions(platform, subject, name, streamOf(request))
    return {}
  },
})

export const npmTarball = operation({
  ...project,
  id: 'npm_packages.tarball',
  contract: 'x.npm_tarball',
  method: 'GET',
  path: '/projects/:id/packages/npm/:package_name/-/:file_name',
  summary: 'Download the tarball of a version of an npm package',
  allow: 'read_packages',
  result: [200, packageFileBytes],
  answers: packageFileAnswers,
  async run({ platform, subject, params: { package_name: name, file_name: fileName }, request, setStatus }) {
    const { read } = platform.database
    const version = versionOfTarball(name, fileName)
    const identity = { type: 'npm', nameKey: name } as const
    const found = version === null ? null : await packageOf(read, subject.project.id, { ...identity, version })
    const file = found && (await newestFile(read, found.id, fileName))
    if (!file) throw notFound('Package')
    return servePackageFile(platform, { request, setStatus }, { found, file })
  },
})

/** Where the routes of a level begin, and how its operations are named. */
const levels = {
  project: { path: '/projects/:id/packages/npm', prefix: '', subject: project.subject, of: 'a project' },
  group: { path: '/groups/:id/-/packages/npm', prefix: 'group_', subject: servedGroup(tokens), of: 'a group' },
  server: { path: '/packages/npm', prefix: 'instance_', subject: servedServer(tokens), of: 'the server' },
} as const

const json = { raw: true, mediaType: 'application/json' } as const

/** The operations that each level has. */
function operationsAt({ path, prefix, subject, of }: (typeof levels)[keyof typeof levels]) {
  const own = { ...shared, subject: subject as typeof project.subject } as const
  const id = <Name extends string>(name: Name) => ({ id: `${prefix}npm_packages.${name}` })
  const placeOf = (served: ServedPlace) => served
  const tags = `${path}/-/package/:package_name/dist-tags` as const
  const audit = (name: string, contract: string, below: string, summary: string) =>
    operation({
      ...own,
      ...id(name),
      contract,
      method: 'POST',
      path: `${path}/-/npm/v1/security/${below}` as const,
      summary: `${summary} of ${of}`,
      description: 'The server knows no defects of packages: the list is empty.',
      allow: 'read_packages',
      stream: 'application/octet-stream',
      result: [200, json],
      answers: { 307: 'The same address at the registry to which packages are forwarded.' },
      run: ({ platform, subject: served, request, setStatus }) =>
        answerAudit(
          platform,
          placeOf(served),
          { path: `/-/npm/v1/security/${below}`, content: streamOf(request) },
          () => setStatus(307),
        ),
    })
  return [
    operation({
      ...own,
      ...id('metadata'),
      contract: `x.npm_${prefix}metadata`,
      method: 'GET',
      path: `${path}/:package_name` as const,
      summary: `Get the versions of an npm package of ${of}`,
      allow: 'read_packages',
      result: [200, json],
      answers: { 302: 'The address of the package at the registry to which packages are forwarded.' },
      run: ({ platform, subject: served, params, setStatus }) =>
        npmMetadata(platform, placeOf(served), (params as { package_name: string }).package_name, () => setStatus(302)),
    }),
    operation({
      ...own,
      ...id('dist_tags'),
      contract: `x.npm_${prefix}dist_tags_list`,
      method: 'GET',
      path: tags,
      summary: `List the dist-tags of an npm package of ${of}`,
      allow: 'read_packages',
      result: [200, Type.Record(Type.String(), Type.String())],
      run: ({ platform, subject: served, params }) =>
        listTags(platform, placeOf(served), (params as { package_name: string }).package_name),
    }),
    operation({
      ...own,
      ...id('put_dist_tag'),
      contract: `x.npm_${prefix}dist_tag_put`,
      method: 'PUT',
      path: `${tags}/:tag` as const,
      summary: `Set a dist-tag of an npm package of ${of}`,
      description: 'The body is the version, as a JSON text or bare.',
      allow: 'publish_packages',
      bytes: true,
      result: [204, nothing],
      run: ({ platform, subject: served, params, request }) => {
        const { package_name: name, tag } = params as Record<'package_name' | 'tag', string>
        return putTag(platform, placeOf(served), { name, tag }, request.bytes)
      },
    }),
    operation({
      ...own,
      ...id('delete_dist_tag'),
      contract: `x.npm_${prefix}dist_tag_delete`,
      method: 'DELETE',
      path: `${tags}/:tag` as const,
      summary: `Remove a dist-tag of an npm package of ${of}`,
      allow: 'delete_packages',
      result: [204, nothing],
      run: ({ platform, subject: served, params }) => {
        const { package_name: name, tag } = params as Record<'package_name' | 'tag', string>
        return removeTag(platform, placeOf(served), { name, tag })
      },
    }),
    audit('advisories', `x.npm_${prefix}advisories`, 'advisories/bulk', 'Answer an audit by versions of packages'),
    audit('audit_quick', `x.npm_${prefix}audit_quick`, 'audits/quick', 'Answer an audit by a tree of packages'),
  ]
}

export const npmAtLevels = Object.values(levels).flatMap(operationsAt)
