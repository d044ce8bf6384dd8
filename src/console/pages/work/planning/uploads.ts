import type { Raw } from '../../../../api/index.ts'
import { named } from '../../../named.ts'
import { type Page, page } from '../../../page.ts'

/** The file of an upload that a text refers to. The address of the API knows no session. */
const uploadAt = (at: 'project' | 'group'): Page => {
  const get = named(`${at}_uploads.get_by_secret`)
  return page({
    at,
    path: 'uploads/:secret/:filename',
    async show(visit) {
      const { secret = '', filename = '' } = visit.params
      return { file: (await visit.read(get, { id: visit[at].id, secret, filename })) as Raw }
    },
  })
}

/** The uploads of projects and groups. */
export const uploads: readonly Page[] = [uploadAt('project'), uploadAt('group')]
