import {
  forms,
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
import { Release } from '../present.ts'
import type { Releases } from '../releases.ts'
import { linkTypes } from '../tables.ts'

const sorts = ['asc', 'desc'] as const
const include_html_description = t.boolean({ description: 'Whether to show the description in HTML as well.' })
const description = t.string({ maxLength: 1_048_576, description: 'Markdown.' })
const name = t.string({ maxLength: 255, description: 'Default: the name of the tag.' })
const released_at = t.datetime({ description: 'Default: now. A release may be told of before it is there.' })

const milestones = {
  milestones: t.array(t.string(), { description: 'Titles.' }),
  milestone_ids: t.array(t.integer()),
}

const link = t.object({
  name: t.required(t.string()),
  url: t.required(t.string({ description: 'Of http, https or ftp.' })),
  direct_asset_path: t.string({ description: 'Path below the release, beginning with a slash.' }),
  filepath: t.string({ description: 'Older name of direct_asset_path, which wins.' }),
  link_type: t.oneOf(linkTypes, { description: 'Default `other`.' }),
})

const tagOf = (request: RequestInfo) => request.path.tag_name ?? ''

type Needs = { releases: Releases; project: ProjectSubject }

/** Reads of the releases of a project (contract 22, x.releases_*). */
function readingOperations({ releases, project }: Needs): Operation[] {
  const shared = { tag: 'Releases', subject: project, method: 'GET', scopes: reading } as const
  return [
    operation({
      ...shared,
      id: 'releases.list',
      contract: 'x.releases_list',
      path: '/projects/:id/releases',
      summary: 'List the releases of a project',
      allow: 'read_releases',
      params: {
        order_by: t.oneOf(['released_at', 'created_at'], { description: 'Default `released_at`.' }),
        sort: t.oneOf(sorts, { description: 'Default `desc`.' }),
        include_html_description,
        updated_before: t.datetime(),
        updated_after: t.datetime(),
      },
      result: [200, pageOf(Release)],
      run: ({ subject, actor, params, page }) => releases.list(subject, actor, params, page),
    }),
    operation({
      ...shared,
      id: 'releases.get',
      contract: 'x.releases_get',
      path: '/projects/:id/releases/:tag_name',
      summary: 'Get the release on a tag',
      allow: 'read_code',
      params: { include_html_description },
      result: [200, Release],
      run: ({ subject, actor, params, request }) => releases.get(subject, actor, tagOf(request), params),
    }),
    operation({
      ...shared,
      id: 'releases.latest',
      contract: 'x.releases_latest',
      path: '/projects/:id/releases/permalink/latest',
      summary: 'Go to the newest release of a project',
      description: '`Location` leads to the release.',
      allow: 'read_code',
      params: {
        include_html_description,
        suffix_path: t.string({ description: 'Path behind that of the release.' }),
      },
      result: [302, forms.accepted],
      async run({ subject, params, setHeader }) {
        const url = await releases.addressOfLatest(subject, params)
        setHeader('Location', url)
        return { message: `This resource has been moved temporarily to ${url}` }
      },
    }),
  ]
}

/** The releases of a project (contract 22, x.releases_*). */
export function releaseOperations(needs: Needs): Operation[] {
  const { releases, project } = needs
  const shared = { tag: 'Releases', subject: project, scopes: writing }
  const one = { ...shared, path: '/projects/:id/releases/:tag_name' }
  return [
    ...readingOperations(needs),
    operation({
      ...shared,
      id: 'releases.create',
      contract: 'x.releases_create',
      method: 'POST',
      path: '/projects/:id/releases',
      summary: 'Create a release, and its tag where there is none',
      allow: 'push_code',
      params: {
        tag_name: t.required(t.string({ description: 'The tag that the release is on.' })),
        name,
        description,
        tag_message: t.string({ maxLength: 1_048_576, description: 'Makes a new tag an annotated one.' }),
        ref: t.string({ description: 'What a new tag is made of: branch, tag or commit.' }),
        ...milestones,
        assets: t.object({ links: t.array(link, { maximum: 100 }) }),
        released_at,
        legacy_catalog_publish: t.boolean({ description: 'Taken, and of no effect.' }),
      },
      result: [201, Release],
      run: ({ subject, actor, params }) => releases.create(subject, actor, params),
    }),
    operation({
      ...one,
      id: 'releases.update',
      contract: 'x.releases_update',
      method: 'PUT',
      summary: 'Change a release',
      allow: 'push_code',
      params: { name, description, ...milestones, released_at },
      atLeastOne: ['name', 'description', 'milestones', 'milestone_ids', 'released_at'],
      result: [200, Release],
      run: ({ subject, actor, params, request }) => releases.update(subject, actor, tagOf(request), params),
    }),
    operation({
      ...one,
      id: 'releases.delete',
      contract: 'x.releases_delete',
      method: 'DELETE',
      summary: 'Delete a release; its tag stays',
      allow: 'push_code',
      result: [200, Release],
      run: ({ subject, actor, request }) =>
        releases.remove(subject, actor, tagOf(request), (updatedAt) => requireUnmodified(request, updatedAt)),
    }),
    operation({
      ...shared,
      id: 'releases.evidence',
      contract: 'x.releases_evidence',
      method: 'POST',
      path: '/projects/:id/releases/:tag_name/evidence',
      summary: 'Collect evidence of a release',
      allow: 'collect_release_evidence',
      result: [202, forms.accepted],
      async run({ subject, request }) {
        await releases.collectEvidence(subject, tagOf(request))
        return { message: '202 Accepted' }
      },
    }),
  ]
}
