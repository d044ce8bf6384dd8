import {
  type Operation,
  operation,
  pageOf,
  type RequestInfo,
  reading,
  requireUnmodified,
  t,
  writing,
} from '../../../api/index.ts'
import type { ProjectSubject } from '../../projects/index.ts'
import type { ReleaseLinks } from '../links.ts'
import { ReleaseLink } from '../present.ts'
import { linkTypes } from '../tables.ts'

const tagOf = (request: RequestInfo) => request.path.tag_name ?? ''
const idOf = (request: RequestInfo) => request.path.link_id ?? ''

const name = t.string({ description: 'Not that of another link of the release.' })
const url = t.string({ description: 'Of http, https or ftp.' })
const more = {
  direct_asset_path: t.nullable(t.string({ description: 'Path below the release, beginning with a slash.' })),
  filepath: t.nullable(t.string({ description: 'Older name of direct_asset_path, which wins.' })),
  link_type: t.oneOf(linkTypes, { description: 'Default `other`.' }),
}

/** The links of releases (contract 22, x.releases_links_*). */
export function releaseLinkOperations({
  links,
  project,
}: {
  links: ReleaseLinks
  project: ProjectSubject
}): Operation[] {
  const shared = { tag: 'Releases', subject: project }
  const all = { ...shared, path: '/projects/:id/releases/:tag_name/assets/links' }
  const one = {
    ...shared,
    path: '/projects/:id/releases/:tag_name/assets/links/:link_id',
    numericPath: { link_id: 'route' } as const,
  }
  return [
    operation({
      ...all,
      id: 'release_links.list',
      contract: 'x.releases_links_list',
      method: 'GET',
      summary: 'List the links of a release',
      allow: 'read_code',
      scopes: reading,
      result: [200, pageOf(ReleaseLink)],
      run: ({ subject, request, page }) => links.list(subject, tagOf(request), page),
    }),
    operation({
      ...one,
      id: 'release_links.get',
      contract: 'x.releases_links_get',
      method: 'GET',
      summary: 'Get a link of a release',
      allow: 'read_code',
      scopes: reading,
      result: [200, ReleaseLink],
      run: ({ subject, request }) => links.get(subject, tagOf(request), idOf(request)),
    }),
    operation({
      ...all,
      id: 'release_links.create',
      contract: 'x.releases_links_create',
      method: 'POST',
      summary: 'Add a link to a release',
      allow: 'push_code',
      scopes: writing,
      params: { name: t.required(name), url: t.required(url), ...more },
      result: [201, ReleaseLink],
      run: ({ subject, actor, params, request }) => links.create(subject, actor, tagOf(request), params),
    }),
    operation({
      ...one,
      id: 'release_links.update',
      contract: 'x.releases_links_update',
      method: 'PUT',
      summary: 'Change a link of a release',
      allow: 'push_code',
      scopes: writing,
      params: { name, url, ...more },
      atLeastOne: ['name', 'url', 'direct_asset_path', 'filepath', 'link_type'],
      result: [200, ReleaseLink],
      run: ({ subject, actor, params, request }) => links.update(subject, actor, tagOf(request), idOf(request), params),
    }),
    operation({
      ...one,
      id: 'release_links.delete',
      contract: 'x.releases_links_delete',
      method: 'DELETE',
      summary: 'Remove a link of a release',
      allow: 'push_code',
      scopes: writing,
      result: [200, ReleaseLink],
      run: ({ subject, actor, request }) =>
        links.remove(subject, actor, tagOf(request), idOf(request), (updatedAt) =>
          requireUnmodified(request, updatedAt),
        ),
    }),
  ]
}
