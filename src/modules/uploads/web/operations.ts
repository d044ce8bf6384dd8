import { forms, instance, reading } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { uploadsWithSecret } from '../core/store.ts'
import { fileAnswers, servedFile } from '../files/serving.ts'
import { firstReadableUrl, ownerWithId, serveOnWeb } from './reading.ts'

const shared = {
  method: 'GET',
  root: true,
  tag: 'Uploads',
  subject: instance,
  allow: 'public',
  scopes: reading,
  takesSession: true,
} as const

export const uploadsServeOfProject = operation({
  ...shared,
  id: 'project_uploads.serve',
  contract: 'x.upload_web_project',
  path: '/-/project/:project_id/uploads/:secret/:filename',
  summary: 'Get an upload of a project on the web',
  description:
    'For callers who may see the project; images, videos and sounds for all callers where the project is so set.',
  result: [200, servedFile],
  answers: fileAnswers,
  run: ({ platform, actor, params: { project_id, ...address }, request, setStatus }) =>
    serveOnWeb(platform, actor, ownerWithId('project', project_id), address, { request, setStatus }),
})

export const uploadsServeOfGroup = operation({
  ...shared,
  id: 'group_uploads.serve',
  contract: 'x.upload_web_group',
  path: '/-/group/:group_id/uploads/:secret/:filename',
  summary: 'Get an upload of a group on the web',
  description: 'For callers who may see the group.',
  result: [200, servedFile],
  answers: fileAnswers,
  run: ({ platform, actor, params: { group_id, ...address }, request, setStatus }) =>
    serveOnWeb(platform, actor, ownerWithId('group', group_id), address, { request, setStatus }),
})

export const uploadsRedirect = operation({
  ...shared,
  id: 'uploads.redirect',
  contract: 'x.upload_web_short',
  path: '/uploads/:secret/:filename',
  summary: 'Redirect from the address that Markdown has to the full one',
  description: '`Location` is the full address.',
  result: [302, forms.accepted],
  async run({ platform, actor, params: { secret, filename }, setHeader }) {
    const uploads = await uploadsWithSecret(platform.database.read, secret)
    const url = await firstReadableUrl(platform, actor, uploads, filename)
    setHeader('Location', url)
    return { message: `This resource has been moved temporarily to ${url}` }
  },
})
