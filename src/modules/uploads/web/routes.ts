import type { ServedRoute } from '../../../api/index.ts'

const answers = {
  302: { description: 'The address with the id' },
  401: { description: 'The credentials are wrong' },
  404: { description: 'The upload does not exist, or the caller may not read it' },
}

/** Documents the addresses of uploads outside the API (contract 08). */
export const formerUploadRoutes: readonly ServedRoute[] = [
  {
    id: 'project_uploads.redirect',
    contract: 'x.upload_web_project_legacy',
    method: 'GET',
    path: '/{project_path}/uploads/{secret}/{filename}',
    tag: 'Uploads',
    summary: 'Redirect from an older address of an upload of a project',
    description: 'The path of the project may be a former one.',
    answers,
  },
  {
    id: 'group_uploads.redirect',
    contract: 'x.upload_web_group_legacy',
    method: 'GET',
    path: '/groups/{group_path}/-/uploads/{secret}/{filename}',
    tag: 'Uploads',
    summary: 'Redirect from an older address of an upload of a group',
    description: 'For callers who may see the group.',
    answers,
  },
]
