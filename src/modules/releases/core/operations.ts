import { forms, pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { group } from '../../groups/index.ts'
import { projectWithReleases } from '../access.ts'
import { collectEvidence } from '../evidence/evidence.ts'
import { createRelease } from './create-release.ts'
import { groupReleaseFilter, latestView, newRelease, releaseChanges, releaseFilter, releaseView } from './params.ts'
import { Release } from './present.ts'
import * as releases from './releases.ts'

const path = '/projects/:id/releases'
const reads = { method: 'GET', tag: 'Releases', scopes: reading } as const
const writes = { tag: 'Releases', subject: projectWithReleases, allow: 'push_code', scopes: writing } as const

export const releasesList = operation({
  ...reads,
  id: 'releases.list',
  contract: 'x.releases_list',
  jobToken: true,
  path,
  summary: 'List the releases of a project',
  subject: projectWithReleases,
  allow: 'read_releases',
  params: releaseFilter,
  result: [200, pageOf(Release)],
  run: ({ platform, subject, actor, params, page }) => releases.listReleases(platform, subject, actor, params, page),
})

export const releasesListOfGroup = operation({
  ...reads,
  id: 'releases.list_of_group',
  contract: 'x.group_releases',
  path: '/groups/:id/releases',
  summary: 'List the releases of the projects of a group',
  subject: group,
  allow: 'read_group',
  params: groupReleaseFilter,
  result: [200, pageOf(Release)],
  run: ({ platform, subject, actor, params, page }) =>
    releases.listGroupReleases(platform, subject, actor, params, page),
})

export const releasesGet = operation({
  ...reads,
  id: 'releases.get',
  contract: 'x.releases_get',
  jobToken: true,
  path: `${path}/:tag_name`,
  summary: 'Get the release of a tag',
  subject: projectWithReleases,
  allow: 'read_code',
  params: releaseView,
  result: [200, Release],
  run: ({ platform, subject, actor, params: { tag_name, ...view } }) =>
    releases.getRelease(platform, subject, actor, tag_name, view),
})

export const releasesLatest = operation({
  ...reads,
  id: 'releases.latest',
  contract: 'x.releases_latest',
  jobToken: true,
  path: `${path}/permalink/latest`,
  otherPaths: [`${path}/permalink/latest/:suffix_path`],
  spanning: ['suffix_path'],
  summary: 'Redirect to the latest release of a project',
  description: '`Location` is the address of the release.',
  subject: projectWithReleases,
  allow: 'read_code',
  params: latestView,
  result: [302, forms.accepted],
  async run({ platform, subject, params, setHeader }) {
    const url = await releases.latestReleaseUrl(platform, subject, params)
    setHeader('Location', url)
    return { message: `This resource has been moved temporarily to ${url}` }
  },
})

export const releasesCreate = operation({
  ...writes,
  id: 'releases.create',
  contract: 'x.releases_create',
  jobToken: true,
  method: 'POST',
  path,
  summary: 'Create a release, and its tag when there is none',
  params: newRelease,
  result: [201, Release],
  run: ({ platform, subject, actor, params }) => createRelease(platform, subject, actor, params),
})

export const releasesUpdate = operation({
  ...writes,
  id: 'releases.update',
  contract: 'x.releases_update',
  jobToken: true,
  method: 'PUT',
  path: `${path}/:tag_name`,
  summary: 'Change a release',
  params: releaseChanges,
  atLeastOne: ['name', 'description', 'milestones', 'milestone_ids', 'released_at'],
  result: [200, Release],
  run: ({ platform, subject, actor, params: { tag_name, ...changes } }) =>
    releases.updateRelease(platform, subject, actor, tag_name, changes),
})

export const releasesDelete = operation({
  ...writes,
  id: 'releases.delete',
  contract: 'x.releases_delete',
  jobToken: true,
  method: 'DELETE',
  path: `${path}/:tag_name`,
  summary: 'Delete a release; its tag stays',
  result: [200, Release],
  run: ({ platform, subject, actor, params, unmodified }) =>
    releases.deleteRelease(platform, subject, actor, params.tag_name, unmodified),
})

export const releasesEvidence = operation({
  ...writes,
  id: 'releases.evidence',
  contract: 'x.releases_evidence',
  jobToken: true,
  method: 'POST',
  path: `${path}/:tag_name/evidence`,
  summary: 'Collect evidence of a release',
  allow: 'collect_release_evidence',
  result: [202, forms.accepted],
  async run({ platform, subject, params }) {
    await collectEvidence(platform, subject, params.tag_name)
    return { message: '202 Accepted' }
  },
})
