import type { ServedRoute } from '../../../api/index.ts'

const shared = { method: 'GET', tag: 'Releases' } as const
const redirect = (description: string) => ({ 302: { description } })
const missing = { 404: { description: 'The resource does not exist, or the caller may not see it' } }
const refused = { 401: { description: 'The credentials are wrong' }, ...missing }

/** Documents the addresses outside the API (contract 22, Release). */
export const releaseRoutes: readonly ServedRoute[] = [
  {
    ...shared,
    id: 'releases.download',
    contract: '22 direct_asset_url',
    path: '/{project_path}/-/releases/{tag_name}/downloads/{filepath}',
    summary: 'Redirect to the URL of a link of a release',
    description: 'Requires the right to read the release and the code.',
    answers: { ...redirect("The link's `url`"), ...refused },
  },
  {
    ...shared,
    id: 'releases.permalink',
    contract: '22 permalink',
    path: '/{project_path}/-/releases/permalink/latest',
    summary: 'Redirect to the latest release, or to one of its links',
    description: 'With `/downloads/` and the path of a link, redirects to that link of the latest release.',
    answers: { ...redirect('The same address with the tag of the latest release'), ...refused },
  },
  {
    ...shared,
    id: 'releases.source',
    contract: '22 sources',
    path: '/{project_path}/-/archive/{ref}/{name}.{format}',
    summary: 'Redirect to the source archive of a release',
    description: 'Redirects to the archive operation of the API, which checks access. The query is passed on.',
    answers: redirect('The archive'),
  },
]
