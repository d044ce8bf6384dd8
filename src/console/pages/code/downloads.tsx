import { notFound } from '../../../api/index.ts'
import { repositoryArchiveBySuffix } from '../../operations.ts'
import { page, type Visit } from '../../page.ts'
import { Icon } from '../../parts/parts.tsx'
import { at, pathOf } from './places.ts'

const formats = ['zip', 'tar.gz', 'tar.bz2', 'tar'] as const

/** The address of an archive of the files of a ref. */
export function archiveAddress(visit: Visit, format: string, ref: string, path = ''): string {
  const folder = path === '' ? '' : `?path=${encodeURIComponent(path)}`
  return at(visit, `download/${format}/${pathOf(ref)}${folder}`)
}

/** The archives of the files of a ref, or of one of its folders. */
export function Downloads({ visit, ref, path }: { visit: Visit; ref: string; path?: string }) {
  return (
    <details class="menu downloads">
      <summary class="button">
        <Icon name="download" />
        Download
      </summary>
      <div class="popup">
        {formats.map((format) => (
          <a href={archiveAddress(visit, format, ref, path)} download>
            {format}
          </a>
        ))}
      </div>
    </details>
  )
}

/** An archive. It has an address beside that of the API, whose archives do not know sessions. */
export const download = page({
  at: 'project',
  path: 'download/:format/*ref',
  async show({ read, params: { format = '', ref = '' }, project: { id }, query: { path } }) {
    if (!formats.some((one) => one === format)) throw notFound('Archive')
    return { file: await read(repositoryArchiveBySuffix, { id, suffix: format, sha: ref, ...(path && { path }) }) }
  },
})
