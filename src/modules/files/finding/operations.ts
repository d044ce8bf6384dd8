import { pageOf, reading, Type } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { filesThrottle } from '../throttle.ts'
import { fileSearch, findFiles } from './find-files.ts'

const FoundFile = Type.Object({ path: Type.String(), name: Type.String() }, { title: 'FoundFile' })

export const filesFind = operation({
  id: 'files.find',
  contract: 'x.files_find',
  method: 'GET',
  path: '/projects/:id/repository/files',
  tag: 'Repository files',
  summary: 'Find the files of a repository by letters of their paths',
  subject: project,
  allow: 'read_code',
  scopes: reading,
  throttle: filesThrottle,
  params: fileSearch,
  list: { withoutTotal: true },
  result: [200, pageOf(FoundFile)],
  run: ({ platform, subject, params, page, request }) => findFiles(platform, subject, params, page, request.signal),
})
