import { pageOf, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { projectWithReleases } from '../access.ts'
import { createLink, deleteLink, getLink, listLinks, updateLink } from './links.ts'
import { linkChanges, newLink } from './params.ts'
import { ReleaseLink } from './present.ts'

const path = '/projects/:id/releases/:tag_name/assets/links'
const common = { tag: 'Releases', subject: projectWithReleases } as const
const reads = { ...common, method: 'GET', allow: 'read_code', scopes: reading } as const
const writes = { ...common, allow: 'push_code', scopes: writing } as const
const link_id = t.id({ otherwise: 'route' })

export const releaseLinksList = operation({
  ...reads,
  id: 'release_links.list',
  contract: 'x.releases_links_list',
  jobToken: true,
  path,
  summary: 'List the links of a release',
  result: [200, pageOf(ReleaseLink)],
  run: ({ platform, subject, params, page }) => listLinks(platform, subject, params.tag_name, page),
})

export const releaseLinksGet = operation({
  ...reads,
  id: 'release_links.get',
  contract: 'x.releases_links_get',
  jobToken: true,
  path: `${path}/:link_id`,
  summary: 'Get a link of a release',
  params: { link_id },
  result: [200, ReleaseLink],
  run: ({ platform, subject, params }) => getLink(platform, subject, params.tag_name, params.link_id),
})

export const releaseLinksCreate = operation({
  ...writes,
  id: 'release_links.create',
  contract: 'x.releases_links_create',
  jobToken: true,
  method: 'POST',
  path,
  summary: 'Add a link to a release',
  params: newLink,
  result: [201, ReleaseLink],
  run: ({ platform, subject, actor, params: { tag_name, ...link } }) =>
    createLink(platform, subject, actor, tag_name, link),
})

export const releaseLinksUpdate = operation({
  ...writes,
  id: 'release_links.update',
  contract: 'x.releases_links_update',
  jobToken: true,
  method: 'PUT',
  path: `${path}/:link_id`,
  summary: 'Change a link of a release',
  params: { link_id, ...linkChanges },
  atLeastOne: ['name', 'url', 'direct_asset_path', 'filepath', 'link_type'],
  result: [200, ReleaseLink],
  run: ({ platform, subject, actor, params: { tag_name, link_id, ...changes } }) =>
    updateLink(platform, subject, actor, { tag: tag_name, id: link_id }, changes),
})

export const releaseLinksDelete = operation({
  ...writes,
  id: 'release_links.delete',
  contract: 'x.releases_links_delete',
  jobToken: true,
  method: 'DELETE',
  path: `${path}/:link_id`,
  summary: 'Remove a link of a release',
  params: { link_id },
  result: [200, ReleaseLink],
  run: ({ platform, subject, actor, params: { tag_name, link_id }, unmodified }) =>
    deleteLink(platform, subject, actor, { tag: tag_name, id: link_id }, unmodified),
})
