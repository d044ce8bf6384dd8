import { nothing, pageOf, reading, requireSignedIn, Type, t, unauthorized, writing } from '../../api/index.ts'
import { operation, refusing } from '../../platform/index.ts'
import { mergeRequest } from '../merge-requests/index.ts'
import { project } from '../projects/index.ts'
import { createCheck, deleteCheck, listChecks, updateCheck } from './checks.ts'
import { checkId, newStatusCheck, statusCheckChanges, statusCheckResponse } from './params.ts'
import { ExternalStatusCheck, MergeRequestStatusCheck, StatusCheckAnswer } from './present.ts'
import { listStatuses, respond, retry } from './responses.ts'

const ultimate = { tag: 'Status checks', tier: 'ultimate', tierRefusal: unauthorized } as const
const ofProject = { ...ultimate, subject: refusing(project, unauthorized) } as const
const administers = { ...ofProject, allow: 'admin_status_checks', scopes: writing } as const
const all = '/projects/:id/external_status_checks'
const one = `${all}/:check_id` as const

export const statusChecksList = operation({
  ...ofProject,
  id: 'status_checks.list',
  contract: 'x.status_checks_list',
  method: 'GET',
  path: all,
  summary: 'List the external status checks of a project',
  description: 'Forbidden callers are answered with 401.',
  allow: 'read_status_check_settings',
  scopes: reading,
  result: [200, pageOf(ExternalStatusCheck)],
  run: ({ platform, subject, page }) => listChecks(platform, subject, page),
})

export const statusChecksCreate = operation({
  ...administers,
  id: 'status_checks.create',
  contract: 'x.status_checks_create',
  method: 'POST',
  path: all,
  summary: 'Add an external status check to a project',
  description:
    'Merge requests are sent to it when they are opened, edited, reopened or pushed to. Forbidden callers are answered with 401.',
  params: newStatusCheck,
  result: [201, ExternalStatusCheck],
  run: ({ platform, subject, act, params }) => createCheck(platform, subject, act, params),
})

export const statusChecksUpdate = operation({
  ...administers,
  id: 'status_checks.update',
  contract: 'x.status_checks_update',
  method: 'PUT',
  path: one,
  summary: 'Change an external status check',
  description: 'Forbidden callers are answered with 401.',
  params: { ...checkId, ...statusCheckChanges },
  result: [200, ExternalStatusCheck],
  run: ({ platform, subject, act, params: { check_id: id, ...changes } }) =>
    updateCheck(platform, subject, act, { id, changes }),
})

export const statusChecksDelete = operation({
  ...administers,
  id: 'status_checks.delete',
  contract: 'x.status_checks_delete',
  method: 'DELETE',
  path: one,
  summary: 'Delete an external status check',
  description: 'Forbidden callers are answered with 401.',
  params: checkId,
  result: [204, nothing],
  run: ({ platform, subject, act, params, unmodified }) =>
    deleteCheck(platform, subject, { id: params.check_id, unmodified, act }),
})

const ofRequest = { ...ultimate, subject: mergeRequest } as const
const inRequest = '/projects/:id/merge_requests/:merge_request_iid'
const merge_request_iid = t.id()
/** How often clients may ask, in milliseconds. */
const pollIntervalMs = 10_000

export const requestStatusChecksList = operation({
  ...ofRequest,
  id: 'merge_request_status_checks.list',
  contract: 'x.mr_status_checks',
  method: 'GET',
  path: `${inRequest}/status_checks`,
  summary: 'List the status checks of a merge request',
  description: 'With the status at the present head.',
  allow: 'read_status_checks',
  scopes: reading,
  params: { merge_request_iid },
  result: [200, pageOf(MergeRequestStatusCheck)],
  run({ platform, subject, actor, page, setHeader }) {
    setHeader('Poll-Interval', String(pollIntervalMs))
    return listStatuses(platform, subject, actor, page)
  },
})

export const requestStatusChecksRespond = operation({
  ...ofRequest,
  id: 'merge_request_status_checks.respond',
  contract: 'x.mr_status_check_respond',
  method: 'POST',
  path: `${inRequest}/status_check_responses`,
  summary: 'Set the status of a check at the head of a merge request',
  description: 'A check that was put to `pending` counts as failed after two minutes.',
  allow: 'answer_status_checks',
  scopes: writing,
  params: { merge_request_iid, ...statusCheckResponse },
  result: [201, StatusCheckAnswer],
  run: ({ platform, subject, actor, params }) => respond(platform, subject, actor, params),
})

export const requestStatusChecksRetry = operation({
  ...ofRequest,
  id: 'merge_request_status_checks.retry',
  contract: 'x.mr_status_check_retry',
  method: 'POST',
  path: `${inRequest}/status_checks/:external_status_check_id/retry`,
  summary: 'Send a merge request to a failed check again',
  allow: 'answer_status_checks',
  scopes: writing,
  params: { merge_request_iid, external_status_check_id: t.id() },
  result: [202, Type.Object({ message: Type.String() }, { title: 'Accepted' })],
  run: ({ platform, subject, actor, params }) =>
    retry(platform, subject, { userId: requireSignedIn(actor).userId, checkId: params.external_status_check_id }),
})
