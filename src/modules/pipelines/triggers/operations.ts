import { instance, nothing, pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { Pipeline } from '../core/present.ts'
import * as firing from './firing.ts'
import { changedTrigger, fire, fireRef, newTrigger, oneTrigger } from './params.ts'
import { Trigger } from './present.ts'
import * as triggers from './triggers.ts'

const path = '/projects/:id/triggers'
const tag = 'Pipeline triggers'
const reads = { tag, subject: project, method: 'GET', allow: 'read_triggers', scopes: reading } as const
const writes = { tag, subject: project, allow: 'admin_triggers', scopes: writing } as const

export const triggersList = operation({
  ...reads,
  id: 'triggers.list',
  contract: 'x.triggers_list',
  path,
  summary: 'List the triggers of a project',
  description: 'The whole token is shown to its owner only.',
  result: [200, pageOf(Trigger)],
  run: ({ platform, subject, actor, page }) => triggers.listTriggers(platform, subject, actor, page),
})

export const triggersGet = operation({
  ...reads,
  id: 'triggers.get',
  contract: 'x.triggers_get',
  path: `${path}/:trigger_id`,
  summary: 'Get a trigger',
  params: oneTrigger,
  result: [200, Trigger],
  run: ({ platform, subject, actor, params }) => triggers.getTrigger(platform, subject, actor, params.trigger_id),
})

export const triggersCreate = operation({
  ...writes,
  id: 'triggers.create',
  contract: 'x.triggers_create',
  method: 'POST',
  path,
  summary: 'Create a trigger',
  description: 'Its pipelines run as the caller.',
  params: newTrigger,
  result: [201, Trigger],
  run: ({ platform, subject, actor, params }) => triggers.createTrigger(platform, subject, actor, params),
})

export const triggersUpdate = operation({
  ...writes,
  id: 'triggers.update',
  contract: 'x.triggers_update',
  method: 'PUT',
  path: `${path}/:trigger_id`,
  summary: 'Change a trigger',
  description: 'Only its owner may.',
  params: changedTrigger,
  result: [200, Trigger],
  run: ({ platform, subject, actor, params }) => triggers.changeTrigger(platform, subject, actor, params),
})

export const triggersDelete = operation({
  ...writes,
  id: 'triggers.delete',
  contract: 'x.triggers_delete',
  method: 'DELETE',
  path: `${path}/:trigger_id`,
  summary: 'Delete a trigger',
  params: oneTrigger,
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified }) =>
    triggers.removeTrigger(platform, subject, params.trigger_id, unmodified),
})

const fires = {
  tag,
  method: 'POST',
  subject: instance,
  allow: 'public',
  scopes: 'any',
  ownAuthentication: true,
  description: 'The parameters, without the token, are also the file variable `TRIGGER_PAYLOAD` of the pipeline.',
  result: [201, Pipeline],
} as const

export const triggersFire = operation({
  ...fires,
  id: 'triggers.fire',
  contract: 'x.trigger_fire',
  path: '/projects/:id/trigger/pipeline',
  summary: 'Run a pipeline with the token of a trigger or job',
  params: fire,
  run: ({ platform, params, request }) => firing.fire(platform, params, request),
})

export const triggersFireRef = operation({
  ...fires,
  id: 'triggers.fire_ref',
  contract: 'x.trigger_fire_ref',
  path: '/projects/:id/ref/:ref/trigger/pipeline',
  summary: 'Run a pipeline with the token of a trigger or job, with the ref in the path',
  description: 'The ref may contain unencoded slashes.',
  spanning: ['ref'],
  params: fireRef,
  run: ({ platform, params, request }) => firing.fire(platform, params, request),
})
