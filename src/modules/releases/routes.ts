import type { ServedRoute } from '../../api/index.ts'

const shared = { method: 'GET', tag: 'Releases' } as const
const redirect = (description: string) => ({ 302: { description } })
const missing = { 404: { description: 'There is no such thing, or it is not to be seen' } }
const refused = { 401: { description: 'The credentials are wrong' }, ...missing }

/** The addresses that releases tell besides those of the API, for the documentation (contract 22, Release). */
export const releaseRoutes: readonly ServedRoute[] = [
  {
    ...shared,
    id: 'releases.download',
    contract: '22 direct_asset_url',
    path: '/{project_path}/-/releases/{tag_name}/downloads/{filepath}',
    summary: 'Go to what a link of a release leads to',
    description: 'For everybody who may read the release and the code.',
    answers: { ...redirect("The link's `url`"), ...refused },
  },
  {
    ...shared,
    id: 'releases.permalink',
    contract: '22 permalink',
    path: '/{project_path}/-/releases/permalink/latest',
    summary: 'Go to the newest release, or to one of its links',
    description: 'Followed by `/downloads/` and the path of a link it leads to that link of the newest release.',
    answers: { ...redirect('The same address with the tag of the newest release'), ...refused },
  },
  {
    ...shared,
    id: 'releases.source',
    contract: '22 sources',
    path: '/{project_path}/-/archive/{ref}/{name}.{format}',
    summary: 'Go to the source of a release',
    description: 'Leads to the archive of the API, which decides who may have it; whatever the query holds goes along.',
    answers: redirect('The archive'),
  },
]
