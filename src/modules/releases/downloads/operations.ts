import { forms, reading } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { projectWithReleases } from '../access.ts'
import { linkUrl } from './downloads.ts'

export const releasesDownload = operation({
  id: 'releases.download_asset',
  contract: 'x.releases_download',
  method: 'GET',
  path: '/projects/:id/releases/:tag_name/downloads/:filepath',
  spanning: ['filepath'],
  tag: 'Releases',
  summary: 'Redirect to the URL of a link of a release',
  description: "`Location` is the link's `url`. The path is its `direct_asset_path`.",
  subject: projectWithReleases,
  allow: 'read_code',
  scopes: reading,
  jobToken: true,
  result: [302, forms.accepted],
  async run({ platform, subject, params, setHeader }) {
    const url = await linkUrl(platform, subject, params.tag_name, `/${params.filepath}`)
    setHeader('Location', url)
    return { message: `This resource has been moved temporarily to ${url}` }
  },
})
